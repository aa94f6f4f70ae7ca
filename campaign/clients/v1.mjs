// The official TypeScript SDK, version 1, against a server. usage: node v1.mjs COMMAND ARG…
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { drive } from './drive.mjs';

const [command, ...args] = process.argv.slice(2);

async function connect() {
  const client = new Client({ name: 'pybox-tests', version: '1' }, { capabilities: {} });
  const transport = new StdioClientTransport({ command, args, stderr: 'inherit', env: { ...process.env } });
  await client.connect(transport);
  await client.ping();
  const call = (input, options = {}, name = 'run_python') =>
    client.callTool({ name, arguments: input }, undefined, { timeout: 120000, ...options });
  return { client, call, close: () => client.close() };
}

console.log(JSON.stringify(await drive('sdk 1', connect)));
