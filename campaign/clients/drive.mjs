// What each TypeScript client is made to do, and what must come of it; one JSON object on stdout.
// usage: driven by v1.mjs and v2.mjs: drive(connect) where connect() gives {client, close}.

export async function drive(label, connect) {
  const checks = {};
  const check = (name, holds, detail) => { checks[`${label}: ${name}`] = holds ? true : String(detail ?? 'no').slice(0, 400); };
  const { client, close, call } = await connect();
  try {
    const { tools } = await client.listTools();
    check('lists run_python', tools.map((tool) => tool.name).join() === 'run_python', JSON.stringify(tools.map((t) => t.name)));

    const nonce = Math.random().toString(36).slice(2);
    const good = await call({ code: `print('${nonce}')` });
    check('a good call', !good.isError && good.structuredContent.execution.capture.stdout.text === `${nonce}\n`, JSON.stringify(good).slice(0, 300));
    check('both forms are the same', JSON.stringify(JSON.parse(good.content[0].text)) === JSON.stringify(good.structuredContent));

    const wrong = await call({ code: 7 });
    check('a wrong type is a result', wrong.isError === true && wrong.structuredContent.execution.outcome.observation === 'NOT_STARTED', JSON.stringify(wrong).slice(0, 300));

    const raised = await call({ code: "raise ValueError('no')" });
    check('an exception is a result with its traceback', raised.isError === true && raised.structuredContent.execution.capture.stderr.text.includes('ValueError'), JSON.stringify(raised).slice(0, 300));

    const late = await call({ code: 'while True: pass', timeout_s: 0.5 });
    check('a program at its limit', late.structuredContent.execution.outcome.observation === 'SUPERVISOR_KILL_OBSERVED', JSON.stringify(late).slice(0, 300));

    const large = await call({ code: "import os\nfor _ in range(100): os.write(1, b'\\x01\"' * 32768)", max_output_bytes: 8192 });
    check('megabytes are cut', large.structuredContent.execution.capture.stdout.truncated === true, JSON.stringify(large).slice(0, 300));

    const forged = await call({ code: "print('{\"jsonrpc\":\"2.0\",\"id\":999,\"result\":{}}')" });
    check('a forged response is only text', forged.structuredContent.execution.capture.stdout.text.includes('999'));

    const files = await call({
      code: "data = open('/tmp/input/a.csv').read()\nopen('/tmp/output/b.txt', 'w').write(data.upper())",
      files: [{ name: 'a.csv', content: 'north,120\n' }], return_files: true });
    check('a file in and a file out', files.structuredContent.files?.[0]?.content === 'NORTH,120\n', JSON.stringify(files).slice(0, 300));

    let unknown = 'answered';
    try { const result = await call({}, {}, 'no_such_tool'); if (result.isError) unknown = 'error'; } catch { unknown = 'error'; }
    check('an unknown tool is an error', unknown === 'error', unknown);

    const abort = new AbortController();
    const before = Date.now();
    setTimeout(() => abort.abort(), 300);
    let aborted = 'answered';
    try { await call({ code: 'import time; time.sleep(20)', timeout_s: 25 }, { signal: abort.signal }); } catch { aborted = 'aborted'; }
    check('an aborted call', aborted === 'aborted' && Date.now() - before < 5000, aborted);
    let after;
    for (let attempt = 0; attempt < 100; ++attempt) {
      after = await call({ code: 'print(2)' });
      if (!JSON.stringify(after.structuredContent.execution.outcome).includes('busy: ')) break;
      await new Promise((done) => setTimeout(done, 50));
    }
    check('a call after the aborted one', after.isError === false, JSON.stringify(after).slice(0, 300));
  } catch (fault) {
    check('no surprise', false, fault?.stack ?? fault);
  }
  await close();
  return checks;
}
