"""What must come of a case, checked: its own expectations, and everything in oracle.py."""

import hashlib
import json
import os
import time

import oracle
from server import descendants

ALIVE = '"alive"'


def replaced(value, name, by):
    """`by` for `name`, at any depth; a value that is nothing but the name becomes `by` itself."""
    if isinstance(value, str):
        return value if name not in value else by if value == name else value.replace(name, str(by))
    if isinstance(value, list):
        return [replaced(inner, name, by) for inner in value]
    if isinstance(value, dict):
        return {k.replace(name, str(by)) if k != "vary" else k: replaced(v, name, by) for k, v in value.items()}
    return value


def compact(value):
    return json.dumps(value, separators=(",", ":"))


class Judged:
    """The half of play.Play that judges."""

    def judge(self, others):
        expect = self.case.get("expect", {})
        self.note_asked(b"\n")  # a last line without a newline
        self.wait_expected(expect)
        after = None
        if expect.get("alive", True) and self.server.ended_at is None:
            after = self.check_alive()
        if self.server.ended_at is None:
            self.server.end_input()
        end = self.server.wait_end(expect.get("ends_within", 10))
        evidence = oracle.Evidence(self.server, self.asked, self.tools, expect.get("silent", ()), [self.nonce])
        evidence.end, evidence.before, evidence.after = end, self.before, after
        evidence.left = self.left_running(others)
        self.check_end(expect, end)
        self.check_expected(expect)
        return self.faults + [f"{name}: {finding}" for name, finding in oracle.judge(evidence)]

    def check_alive(self):
        modern = self.case.get("era") == "modern"
        self.ask("tools/list" if modern else "ping", ALIVE, modern=modern)
        if not self.server.wait_answer(ALIVE, self.patience):
            self.faults.append("the server does not answer any more")
            return None
        # What ran is over, so its thread and descriptors are too, once the answer was read.
        end = time.monotonic() + 5
        while True:
            seen = self.server.resources()
            if self.before is None or time.monotonic() > end or all(
                    seen[k] <= self.before[k] for k in ("descriptors", "threads", "children")):
                return seen
            time.sleep(0.02)

    def left_running(self, others):
        end = time.monotonic() + 3
        while True:
            left = [pid for pid in descendants(os.getpid()) if pid not in others]
            if not left or time.monotonic() > end:
                return left
            # Those of a dead server are ours to reap.
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                pass
            time.sleep(0.01)

    def wait_expected(self, expect):
        for key in [*expect.get("errors", {}), *expect.get("results", {}), *expect.get("counts", {})]:
            if not self.server.wait_answer(key, self.patience, expect.get("counts", {}).get(key, 1)):
                self.faults.append(f"id {key} was not answered")
        wanted = len(expect.get("idless", []))
        if wanted and not self.server.wait_answer(None, self.patience, wanted):
            self.faults.append(f"fewer than {wanted} errors without an id came")

    def check_end(self, expect, end):
        if end is None:
            return
        code = expect.get("exit", 0)
        if code is not None and end[0] != code:
            self.faults.append(f"exit code {end[0]}, wanted {code}; stderr {self.server.errors[-200:]!r}")

    def check_expected(self, expect):
        answers = self.server.answers()
        for key, codes in expect.get("errors", {}).items():
            found = [m["error"]["code"] for m in answers.get(key, []) if "error" in m]
            if not found or found[0] not in codes:
                self.faults.append(f"id {key}: wanted an error of {codes}, got {compact(answers.get(key))[:300]}")
        for key, wanted in expect.get("results", {}).items():
            found = [m["result"] for m in answers.get(key, []) if "result" in m]
            if not found:
                self.faults.append(f"id {key}: wanted a result, got {compact(answers.get(key))[:300]}")
                continue
            for path, value in wanted.items():
                self.check_value(key, found[0], path, value)
        idless = [m["error"]["code"] for m in answers.get(None, []) if "error" in m]
        if "idless" in expect and idless != expect["idless"]:
            self.faults.append(f"errors without id: {idless}, wanted {expect['idless']}")
        elif "idless" not in expect and idless:
            self.faults.append(f"errors without id: {idless}, wanted none")
        for text in expect.get("stderr", []):
            if text.encode() not in self.server.errors:
                self.faults.append(f"stderr lacks {text!r}: {self.server.errors[-300:]!r}")
        if expect.get("never_runs"):
            for name in self.receipts_of(self.codes or {hashlib.sha256(self.nonce.encode()).hexdigest()}):
                self.faults.append(f"the code ran: receipt {name}")
        for key, count in expect.get("counts", {}).items():
            if len(answers.get(key, [])) != count:
                self.faults.append(f"id {key}: {len(answers.get(key, []))} answers, wanted {count}")
        for one, other in expect.get("same", []):
            if answers[one][0]["result"] != answers[other][0]["result"]:
                self.faults.append(f"the results of {one} and {other} differ")
        # Where a box takes long to start there may be progress before a cancellation.
        if "progress" in expect and not (self.slow and expect.get("silent")):
            seen = sum(1 for line in self.server.lines if b'"notifications/progress"' in line.raw)
            if (seen > 0) != expect["progress"]:
                self.faults.append(f"{seen} progress notifications")

    def check_value(self, key, result, path, wanted):
        """`~X` as wanted: the value as JSON holds X; `!X`: it does not."""
        value = result
        for part in [p for p in path.split(".") if p]:
            try:
                value = value[int(part)] if isinstance(value, list) else value[part]
            except (KeyError, IndexError, TypeError):
                value = None
        text = compact(value)
        wanted = self.fill(wanted)
        if isinstance(wanted, str) and wanted[:1] in ("~", "!"):
            holds = (wanted[1:] in text) == (wanted[0] == "~")
        else:
            holds = value == wanted
        if not holds:
            self.faults.append(f"id {key}: {path} is {text[:200]}, wanted {compact(wanted)[:200]}")

    def receipts_of(self, digests):
        """Kept receipts, no older than this case, of programs with one of these digests."""
        for file in (self.home / "receipts").glob("*.json") if self.home else ():
            try:
                if file.stat().st_mtime < self.started_at - 1:
                    continue
                receipt = json.loads(file.read_text())
            except (OSError, ValueError):
                continue
            started = receipt["outcome"]["observation"] != "NOT_STARTED"
            if started and receipt["request"]["code_sha256"] in digests:
                yield file.name
