"""Plays the cases of cases.json against a server and says what was wrong.

A case is data: steps that send bytes or wait, and what must come of them. Beside a case's own
expectations everything in oracle.py must hold. `$NONCE` in a step is a word nobody can guess.

Steps (a string is a line that is sent as it stands, with a newline):
  {"send": TEXT, "times": N, "end": TEXT}   TEXT N times, then `end` (default: a newline)
  {"hex": HEX}                              bytes, nothing added
  {"json": VALUE}                           compact, one line; {"modern": VALUE}: with a valid _meta
  {"call": CODE, "id": ID, "arguments": {}, "token": T, "modern": true}   tools/call run_python
  {"cancel": ID}   {"await": [ID…]}   {"running": ID}   {"pause": S}   {"ping_within": S}
  {"race": N}      {"end": true}      {"signal": NAME}  {"close_output": true}   {"read": true}
  {"list": N}      asks N times for the tools;  {"calls": N}  calls N times in one write
  {"free_within": S}  until a call is not told `busy`
"""

import hashlib
import json
import os
import pathlib
import re
import secrets
import signal
import time

from judge import ALIVE, Judged, compact, replaced
from pulse import Pulse
from races import Races
from server import SIGNALS, Server, adopt_orphans, descendants

HERE = pathlib.Path(__file__).resolve().parent
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "frames", "version": "1"}}
HANDSHAKE = '"handshake"'


def load(path=HERE / "cases.json"):
    """Every case once for each of its variants: {"vary": {"$X": [A, B]}} puts A, then B, for $X."""
    for case in json.loads(path.read_text())["cases"]:
        variants = [{}]
        for name, values in case.get("vary", {}).items():
            variants = [{**known, name: value} for known in variants for value in values]
        for number, variant in enumerate(variants):
            one = case
            for name, value in variant.items():
                one = replaced(one, name, value)
            yield {**one, "variant": number, "of": len(variants), "with": variant}


class Play(Races, Judged):
    """One variant of one case, played once."""

    def __init__(self, case, words, env, tools, baseline=None, slow=False, home=None):
        """`baseline`: resources of an idle server, from ask_tools(); `home`: where receipts are kept."""
        self.case, self.tools, self.before, self.slow, self.home = case, tools, baseline, slow, home
        self.patience = 60 if slow else 20
        self.nonce = secrets.token_hex(8)
        self.faults = []
        self.asked = {}
        self.codes = set()
        self.unfinished = b""
        self.started_at = time.time()
        preload = b"".join(self.bytes_of(step) for step in case["steps"]) if case.get("stdin") == "file" else b""
        self.server = Server([*words, *self.options()], env, stdin=case.get("stdin", "pipe"),
                             preload=preload, reading=case.get("reading", True),
                             full_stderr=case.get("full_stderr", False), close=case.get("close", ()))

    def options(self):
        """A slow box needs more than the 2 s that a call has by default."""
        given = self.case.get("options", [])
        if not self.slow:
            return given
        return [*given, *([] if "--max-timeout" in given else ["--max-timeout", "30"]), "--default-timeout", "29"]

    # ---- sending -------------------------------------------------------------------------------

    def fill(self, value):
        return replaced(value, "$NONCE", self.nonce)

    def call_message(self, step):
        arguments = {"code": self.fill(step["call"]), **self.fill(step.get("arguments", {}))}
        params = {"name": "run_python", "arguments": arguments}
        meta = dict(META) if step.get("modern") else {}
        if "token" in step:
            meta["progressToken"] = step["token"]
        if meta:
            params["_meta"] = meta
        self.codes.add(hashlib.sha256(arguments["code"].encode()).hexdigest())
        return {"jsonrpc": "2.0", "id": step["id"], "method": "tools/call", "params": params}

    def message_of(self, step):
        if "json" in step:
            return self.fill(step["json"])
        if "modern" in step and "call" not in step:
            message = self.fill(step["modern"])
            params = message.setdefault("params", {})
            params["_meta"] = {**META, **params.get("_meta", {})}
            return message
        if "call" in step:
            return self.call_message(step)
        return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": step["cancel"]}}

    def bytes_of(self, step):
        """What a sending step sends; empty for the others."""
        if isinstance(step, str):
            return self.fill(step).encode() + b"\n"
        if "hex" in step:
            return bytes.fromhex(step["hex"])
        if "send" in step:
            return self.fill(step["send"]).encode() * step.get("times", 1) + step.get("end", "\n").encode()
        if {"json", "modern", "call", "cancel"} & set(step):
            return compact(self.message_of(step)).encode() + b"\n"
        return b""

    def note_asked(self, data):
        """Which ids a client may expect an answer to; lines that are no JSON ask nothing."""
        *lines, self.unfinished = (self.unfinished + data).split(b"\n")
        self.unfinished = self.unfinished[:600_000]
        for line in lines:
            try:
                value = json.loads(line.decode("utf-8-sig")) if len(line) < 600_000 else None
            except RecursionError:
                value = {"id": json.loads(re.search(rb'"id":(\d+)', line).group(1))} if b'"id"' in line else None
            except ValueError:
                continue
            for message in value if isinstance(value, list) else [value]:
                if isinstance(message, dict) and "id" in message:
                    self.note_one(message)

    def note_one(self, message):
        params = message.get("params") if isinstance(message.get("params"), dict) else {}
        meta = params.get("_meta") if isinstance(params.get("_meta"), dict) else {}
        token = meta.get("progressToken")
        usable = isinstance(token, (str, int)) and not isinstance(token, bool)
        modern = any(key.startswith("io.modelcontextprotocol/") for key in meta)
        try:
            key = json.dumps(message["id"])
        except ValueError:
            return
        self.asked.setdefault(key, []).append(
            (message.get("method"), modern or message.get("method") == "server/discover",
             json.dumps(token) if usable else None))

    def send(self, data):
        self.note_asked(data)
        if self.case.get("bytewise"):
            for byte in data:
                self.server.send(bytes([byte]))
                time.sleep(0.0002)
        elif not self.server.send(data) and not self.case.get("may_close"):
            self.faults.append("the server took no more input")

    def ask(self, method, key, params=None, modern=False):
        message = {"jsonrpc": "2.0", "id": json.loads(key), "method": method, "params": params or {}}
        if modern:
            message["params"]["_meta"] = META
        self.send(compact(message).encode() + b"\n")

    # ---- steps ---------------------------------------------------------------------------------

    def handshake(self):
        if self.case.get("era", "legacy") == "legacy":
            self.ask("initialize", HANDSHAKE, {
                "protocolVersion": self.case.get("version", "2025-11-25"), "capabilities": {},
                "clientInfo": {"name": "frames", "version": "1"}})
            if self.case.get("reading", True) and not self.server.wait_answer(HANDSHAKE, self.patience):
                self.faults.append("initialize was not answered")
            self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def take(self, step):
        if isinstance(step, str) or {"send", "hex", "json", "modern", "call", "cancel"} & set(step):
            return self.send(self.bytes_of(step))
        [(what, value)] = [(k, v) for k, v in step.items()]
        getattr(self, f"step_{what}")(value)

    def step_await(self, keys):
        for key in keys:
            text = json.dumps(key)
            if not self.server.wait_answer(text, self.patience, len(self.asked.get(text, [1]))):
                self.faults.append(f"id {text} was not answered in time")

    def step_running(self, key):
        """Until the call's box has a process, or, where it cannot be seen, some time has gone by."""
        if self.slow:
            return time.sleep(1.5)
        pid = self.server.process.pid
        if not self.server.wait_for(lambda: len(descendants(pid)) >= 3, self.patience):
            self.faults.append("the call did not start a box")
        time.sleep(0.05)

    def step_pause(self, seconds):
        time.sleep(seconds)

    def step_ping_within(self, seconds):
        with Pulse() as pulse:
            began = time.monotonic()
            key = json.dumps("ping-" + secrets.token_hex(4))
            self.ask("ping", key)
            self.server.wait_answer(key, self.patience)
            took = time.monotonic() - began
        if took > seconds + 5 * pulse.late:
            self.faults.append(f"a ping during a run took {took:.3f} s (the host was up to {pulse.late:.3f} s late)")

    def step_free_within(self, seconds):
        """Until the box of a cancelled call is gone, and a call runs again."""
        with Pulse() as pulse:
            began = time.monotonic()
            if not self.slow:
                self.server.wait_for(lambda: not descendants(self.server.process.pid), seconds + self.patience)
            took = time.monotonic() - began
        if not self.slow and took > seconds + 5 * pulse.late:
            self.faults.append(f"the cancelled box was there for {took:.3f} s")
        for _ in range(500):
            key = json.dumps("free-" + secrets.token_hex(4))
            modern = {"modern": True} if self.case.get("era") == "modern" else {}
            self.send(self.bytes_of({"call": "pass", "id": json.loads(key), **modern}))
            if not self.server.wait_answer(key, self.patience):
                return self.faults.append("a call after a cancellation was not answered")
            outcome = self.server.answers()[key][0]["result"]["structuredContent"]["execution"]["outcome"]
            if "busy: " not in compact(outcome):
                return None
            time.sleep(0.02)
        return self.faults.append("the server stays busy after a cancellation")

    def step_calls(self, count):
        self.send(b"".join(self.bytes_of({"call": "pass", "id": f"call-{n}"}) for n in range(count)))

    def step_list(self, count):
        for number in range(count):
            self.ask("tools/list", json.dumps(f"list-{number}"))

    def step_end(self, _):
        self.server.end_input()

    def step_signal(self, name):
        self.server.signal(SIGNALS[name])

    def step_close_output(self, _):
        self.server.close_output()

    def step_read(self, _):
        self.server.read()

    # ---- the whole case -----------------------------------------------------------------------

    def run(self):
        adopt_orphans()
        others = set(descendants(os.getpid())) - {self.server.process.pid}
        try:
            if self.case.get("stdin") not in ("file", "null", "closed"):
                self.handshake()
                for step in self.case["steps"]:
                    self.take(step)
            else:
                self.note_asked(b"".join(self.bytes_of(step) for step in self.case["steps"]))
                self.server.ended_at = time.monotonic()
            return self.judge(others)
        finally:
            self.server.kill()


def ask_tools(words, env):
    """{tool: outputSchema} as the server advertises them, the whole result, and an idle server's resources."""
    server = Server(words, env)
    try:
        server.send(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n'
                    b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n')
        if not server.wait_answer("2", 20):
            raise AssertionError(f"no list of tools; stderr {server.errors!r}")
        result = server.answers()["2"][0]["result"]
        return {tool["name"]: tool["outputSchema"] for tool in result["tools"]}, result, server.resources()
    finally:
        server.end_input()
        server.wait_end(5)
        server.kill()


signal.signal(signal.SIGPIPE, signal.SIG_IGN)
