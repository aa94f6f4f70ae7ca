// The official TypeScript SDK, version 2, in each way of finding the protocol's era.
// usage: node v2.mjs COMMAND ARG…    CLIENT_MODES="auto,pinned": only these
import { Client, specTypeSchemas } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { drive } from './drive.mjs';

const [command, ...args] = process.argv.slice(2);
const schemas = Object.keys(specTypeSchemas ?? {}).length;

function connect(mode) {
  return async () => {
    const client = new Client({ name: 'pybox-tests', version: '1' }, { versionNegotiation: { mode } });
    const transport = new StdioClientTransport({ command, args, stderr: 'inherit', env: { ...process.env } });
    await client.connect(transport);
    const call = async (input, options = {}, name = 'run_python') => {
      const result = await client.callTool({ name, arguments: input }, { timeout: 120000, ...options });
      const judged = await specTypeSchemas.CallToolResult['~standard'].validate(result);
      if (judged.issues) throw new Error(`no CallToolResult: ${JSON.stringify(judged.issues).slice(0, 300)}`);
      return result;
    };
    return { client, call, close: () => client.close() };
  };
}

let checks = { 'sdk 2: has schemas to check with': schemas > 0 ? true : 'none' };
const wanted = process.env.CLIENT_MODES?.split(',');
for (const [label, mode] of [['legacy', 'legacy'], ['auto', 'auto'], ['pinned', { pin: '2026-07-28' }]]) {
  if (wanted && !wanted.includes(label)) continue;
  checks = { ...checks, ...(await drive(`sdk 2 ${label}`, connect(mode))) };
}
console.log(JSON.stringify(checks));
