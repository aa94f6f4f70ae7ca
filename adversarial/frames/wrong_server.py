#!/usr/bin/env python3
"""A small MCP server that is wrong in one chosen way, so that the oracle's checkers can be seen to catch it.

usage: wrong_server.py FLAW      (`none`: it is right, and nothing may be found)
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time

# Each flaw and the checker that must find it.
FLAWS = {
    "log-on-stdout": "lines-are-ascii-json",
    "raw-unicode": "lines-are-ascii-json",
    "line-separator": "lines-are-ascii-json",
    "lone-surrogate": "lines-are-ascii-json",
    "long-line": "lines-are-short",
    "null-id": "messages-fit-their-era",
    "error-without-code": "messages-fit-their-era",
    "result-and-error": "messages-fit-their-era",
    "no-result-type": "messages-fit-their-era",
    "legacy-result-type": "messages-fit-their-era",
    "no-structured-content": "messages-fit-their-era",
    "ill-typed-content": "messages-fit-their-era",
    "text-differs": "messages-fit-their-era",
    "two-blocks": "messages-fit-their-era",
    "large-receipt": "messages-fit-their-era",
    "server-request": "messages-fit-their-era",
    "forged-id": "ids-were-asked-and-answered-once",
    "coerced-id": "ids-were-asked-and-answered-once",
    "answers-twice": "ids-were-asked-and-answered-once",
    "answers-cancelled": "silence-is-kept",
    "unasked-progress": "progress-is-in-order",
    "late-progress": "progress-is-in-order",
    "standing-progress": "progress-is-in-order",
    "escape-on-stderr": "stderr-is-plain",
    "logs-the-code": "stderr-is-plain",
    "long-stderr": "stderr-is-plain",
    "slow-end": "end-is-prompt",
    "no-end": "end-is-prompt",
    "leaves-a-process": "nothing-is-left-running",
    "leaks-descriptors": "resources-return",
    "leaks-threads": "resources-return",
    "keeps-children": "resources-return",
    "keeps-zombies": "resources-return",
    "keeps-memory": "resources-return",
}

TEXT = {"type": "string"}
TOOLS = [{"name": "run_python", "description": "runs nothing", "inputSchema": {"type": "object"}, "outputSchema": {
    "type": "object", "properties": {"execution": {"type": "object"}, "schema_version": {"type": "integer"}},
    "required": ["schema_version", "execution"]}}]


class Wrong:
    def __init__(self, flaw):
        self.flaw = flaw
        self.lock = threading.Lock()
        self.running = {}
        self.hoard = []

    def put(self, text):
        with self.lock:
            os.write(1, text.encode("utf-8", "surrogatepass") + b"\n")

    def send(self, message):
        text = json.dumps(message, ensure_ascii=self.flaw not in ("raw-unicode", "line-separator"))
        self.put(text)
        if self.flaw == "answers-twice" and "result" in message:
            self.put(text)

    def answer(self, key, modern, result):
        if modern and self.flaw != "no-result-type":
            result = {"resultType": "complete", **result,
                      "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "wrong", "version": "1"}}}
        elif not modern and self.flaw == "legacy-result-type":
            result = {"resultType": "complete", **result}
        message = {"jsonrpc": "2.0", "id": str(key) if self.flaw == "coerced-id" else key, "result": result}
        if self.flaw == "result-and-error":
            message["error"] = {"code": 1, "message": "x"}
        self.send(message)

    def error(self, key, code, text):
        error = {"code": code, "message": text}
        if self.flaw == "error-without-code":
            del error["code"]
        self.send({"jsonrpc": "2.0", "id": None if self.flaw == "null-id" else key, "error": error})

    def call_result(self):
        words = {"raw-unicode": "\u00e9", "line-separator": "a\u2028b", "lone-surrogate": "\ud800"}
        execution = {"outcome": words.get(self.flaw, "x")}
        if self.flaw == "large-receipt":
            execution["outcome"] = "x" * 70_000
        structured = {"schema_version": 1, "execution": execution}
        if self.flaw == "long-line":
            structured["more"] = "x" * 300_000
        if self.flaw == "ill-typed-content":
            structured["schema_version"] = "1"
        block = {"type": "text", "text": json.dumps({} if self.flaw == "text-differs" else structured)}
        result = {"content": [block] * (2 if self.flaw == "two-blocks" else 1), "structuredContent": structured,
                  "isError": False}
        if self.flaw == "no-structured-content":
            del result["structuredContent"]
        return result

    def progress(self, token, value):
        self.send({"jsonrpc": "2.0", "method": "notifications/progress",
                   "params": {"progressToken": token, "progress": value}})

    def call(self, key, modern, params):
        code = params.get("arguments", {}).get("code", "")
        token = params.get("_meta", {}).get("progressToken")
        self.misbehave(code)
        if token is not None or self.flaw == "unasked-progress":
            self.progress("nobody's" if token is None else token, 1)
            self.progress("nobody's" if token is None else token, 1 if self.flaw == "standing-progress" else 2)
        if "sleep" in code:
            self.running[json.dumps(key)].wait(10)
            del self.running[json.dumps(key)]
            if self.flaw != "answers-cancelled":
                return
        self.answer(key, modern, self.call_result())
        if token is not None and self.flaw == "late-progress":
            self.progress(token, 3)

    def misbehave(self, code):
        if self.flaw == "log-on-stdout":
            self.put("INFO running")
        if self.flaw == "forged-id":
            self.put('{"jsonrpc":"2.0","id":999,"result":{}}')
        if self.flaw == "server-request":
            self.send({"jsonrpc": "2.0", "id": 1, "method": "roots/list"})
        if self.flaw in ("escape-on-stderr", "logs-the-code", "long-stderr"):
            os.write(2, {"escape-on-stderr": b"\x1b[2J", "logs-the-code": code.encode(),
                         "long-stderr": b"x" * 5000}[self.flaw] + b"\n")
        if self.flaw in ("leaves-a-process", "keeps-children"):
            child = subprocess.Popen(["sleep", "20"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL, start_new_session=True)
            if self.flaw == "keeps-children":
                self.hoard.append(child)
        if self.flaw == "keeps-zombies":
            self.hoard.append(subprocess.Popen(["true"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL))
        if self.flaw == "leaks-descriptors":
            self.hoard += [os.open("/dev/null", os.O_RDONLY) for _ in range(5)]
        if self.flaw == "leaks-threads":
            threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
        if self.flaw == "keeps-memory":
            self.hoard.append(bytearray(os.urandom(1024)) * 100_000)

    def take(self, message):
        params = message.get("params") or {}
        if message.get("method") == "notifications/cancelled":
            stop = self.running.get(json.dumps(params.get("requestId")))
            return stop and stop.set()
        if "id" not in message or "method" not in message:
            return None
        key, method = message["id"], message["method"]
        modern = "io.modelcontextprotocol/protocolVersion" in params.get("_meta", {})
        if method == "initialize":
            return self.answer(key, modern, {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                                             "serverInfo": {"name": "wrong", "version": "1"}})
        if method == "ping":
            return self.answer(key, modern, {})
        if method == "tools/list":
            extra = {"ttlMs": 1, "cacheScope": "public"} if modern else {}
            return self.answer(key, modern, {"tools": TOOLS, **extra})
        if method == "tools/call":
            self.running[json.dumps(key)] = threading.Event()
            return threading.Thread(target=self.call, args=(key, modern, params), daemon=True).start()
        return self.error(key, -32601, "Method not found")

    def serve(self):
        for line in sys.stdin.buffer:
            self.take(json.loads(line))
        if self.flaw == "slow-end":
            time.sleep(2.5)
        if self.flaw == "no-end":
            signal.pause()
        for child in self.hoard if self.flaw == "keeps-children" else []:
            child.kill()
        os._exit(0)


if __name__ == "__main__":
    Wrong(sys.argv[1]).serve()
