#!/usr/bin/env python3
"""Streamable HTTP in front of a stdio server, for test tools that speak only HTTP.

usage: bridge.py PORT COMMAND ARG…       (prints the address when it listens; port 0: a free one)

It rewrites no message but its ids, so that several HTTP requests may share one process: each `initialize`
starts a process of its own, named by the session id it hands out; requests of the stateless revision share
one. A line on the server's stdout that is no JSON ends the bridge with exit code 3.
"""

import http.server
import itertools
import json
import os
import queue
import subprocess
import sys
import threading
import uuid

VERSION = "io.modelcontextprotocol/protocolVersion"
# JSON-RPC errors that the specification gives an HTTP status of their own.
STATUS = {-32601: 404, -32600: 400, -32602: 400, -32700: 400, -32020: 400, -32021: 400, -32022: 400}


class Server:
    """One child process; answers find their request by the id the bridge gave it."""

    def __init__(self, command):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lock, self.ids, self.waiting, self.tokens = threading.Lock(), itertools.count(1), {}, {}
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.child.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                print(f"bridge: the server wrote {line[:200]!r}", file=sys.stderr, flush=True)
                os._exit(3)
            if message.get("method") == "notifications/progress":
                waiting = self.tokens.get(json.dumps(message["params"]["progressToken"]))
            else:
                waiting = self.waiting.get(message.get("id"))
            if waiting:
                waiting.put(message)

    def send(self, message):
        with self.lock:
            self.child.stdin.write(json.dumps(message).encode() + b"\n")
            self.child.stdin.flush()

    def ask(self, message):
        """(id on the wire, queue of what comes for it)"""
        number, answers = next(self.ids), queue.Queue()
        self.waiting[number] = answers
        meta = (message.get("params") or {}).get("_meta") if isinstance(message.get("params"), dict) else None
        if isinstance(meta, dict) and "progressToken" in meta:
            self.tokens[json.dumps(meta["progressToken"])] = answers
        self.send({**message, "id": number})
        return number, answers

    def forget(self, number):
        self.waiting.pop(number, None)


class Bridge(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    words, sessions, shared = [], {}, None
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def reply(self, status, message=None, headers=()):
        body = b"" if message is None else json.dumps(message).encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if body:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, code, text, key=None):
        self.reply(status, {"jsonrpc": "2.0", **({} if key is None else {"id": key}),
                            "error": {"code": code, "message": text}})

    def is_local(self):
        """A page in a browser must not reach the server by a name that leads here (DNS rebinding)."""
        names = [self.headers.get("Host", ""), (self.headers.get("Origin") or "http://localhost").split("//")[-1]]
        return all(name.rsplit(":", 1)[0] in ("localhost", "127.0.0.1") for name in names)

    def header_fault(self, message, params):
        """The headers that repeat the body must agree with it (2026-07-28)."""
        meta = params.get("_meta") if isinstance(params.get("_meta"), dict) else {}
        wanted = {"MCP-Protocol-Version": meta.get(VERSION), "Mcp-Method": message.get("method")}
        if message.get("method") in ("tools/call", "prompts/get"):
            wanted["Mcp-Name"] = params.get("name")
        for name, value in wanted.items():
            if isinstance(value, str) and self.headers.get(name) != value:
                return f"the header {name} is not what the body says"
        return None

    def server_for(self, message, modern):
        if message.get("method") == "initialize":
            name = uuid.uuid4().hex
            self.sessions[name] = Server(self.words)
            return self.sessions[name], name
        if modern:
            with self.lock:
                if Bridge.shared is None:
                    Bridge.shared = Server(self.words)
            return Bridge.shared, None
        return self.sessions.get(self.headers.get("Mcp-Session-Id")), None

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self.is_local():
            return self.refuse(403, -32600, "not from here")
        try:
            message = json.loads(raw)
        except ValueError:
            return self.refuse(400, -32700, "Parse error")
        if not isinstance(message, dict):
            return self.refuse(400, -32600, "one message, please")
        params = message.get("params") if isinstance(message.get("params"), dict) else {}
        meta = params.get("_meta") if isinstance(params.get("_meta"), dict) else {}
        header = self.headers.get("MCP-Protocol-Version")
        modern = VERSION in meta or message.get("method") == "server/discover" or header == "2026-07-28" or (
            "Mcp-Session-Id" not in self.headers and message.get("method") != "initialize")
        if modern and "id" in message and (fault := self.header_fault(message, params)):
            return self.refuse(400, -32020, fault, message["id"])
        server, name = self.server_for(message, modern)
        if server is None:
            return self.refuse(404, -32600, "no such session")
        if "id" not in message or "method" not in message:
            server.send(message)
            return self.reply(202)
        return self.answer(server, message, name)

    def answer(self, server, message, name):
        number, answers = server.ask(message)
        headers = [("Mcp-Session-Id", name)] if name else []
        streaming = False
        while True:
            try:
                got = answers.get(timeout=120)
            except queue.Empty:
                return self.refuse(504, -32603, "no answer", message["id"])
            final = "method" not in got
            if final:
                got = {**got, "id": message["id"]}
                server.forget(number)
            try:
                if not streaming and final:
                    return self.reply(STATUS.get(got.get("error", {}).get("code"), 200), got, headers)
                if not streaming:
                    streaming = True
                    self.close_connection = True
                    self.send_response(200)
                    self.send_header("Content-Type", "text/event-stream")
                    self.end_headers()
                self.wfile.write(b"event: message\ndata: " + json.dumps(got).encode() + b"\n\n")
                self.wfile.flush()
            except OSError:
                server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
                return None
            if final:
                return None

    def do_DELETE(self):
        server = self.sessions.pop(self.headers.get("Mcp-Session-Id"), None)
        if server:
            server.child.stdin.close()
        self.reply(200 if server else 404)

    def do_GET(self):
        self.reply(405)


def main():
    Bridge.words = sys.argv[2:]
    listening = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Bridge)
    print(f"http://127.0.0.1:{listening.server_address[1]}/mcp", flush=True)
    listening.serve_forever()


if __name__ == "__main__":
    main()
