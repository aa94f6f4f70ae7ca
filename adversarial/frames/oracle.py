"""The one oracle for every case: what must hold of anything a server answers, whatever it was sent.

Each checker has a name and yields what it found; wrong_server.py has a server for each that it must catch.
"""

import json
import re

import shapes

CHECKERS = {}

# Lines that were read this long after the end of input are late.
LATEST_S = 2.0


def checker(function):
    CHECKERS[function.__name__.replace("_", "-")] = function
    return function


class Evidence:
    """What one case left: the server, what was asked of it, and the tools' schemas."""

    def __init__(self, server, asked, tools, silent=(), secrets=()):
        self.server = server
        self.asked = asked  # {id as JSON text: [(method, modern, progress token or None), …]}
        self.tools = tools
        self.silent = set(silent)  # ids that must not be answered
        self.secrets = secrets  # words of the program: none may stand on stderr
        self.left = []  # processes that outlived the server
        self.end = None  # (exit code, seconds)
        self.before = self.after = None  # resources

    def messages(self):
        for line in self.server.lines:
            try:
                value = line.json()
            except ValueError:
                continue
            for message in value if isinstance(value, list) else [value]:
                yield line, message

    def first_asked(self):
        return {key: calls[0][:2] for key, calls in self.asked.items()}


@checker
def lines_are_ascii_json(evidence):
    for line in evidence.server.lines:
        if not re.fullmatch(rb"[\x20-\x7e]+", line.raw):
            yield f"a line with other than printable ASCII: {line.raw[:80]!r}"
            continue
        try:
            value = line.json()
        except ValueError as fault:
            yield f"a line that is no JSON ({fault}): {line.raw[:80]!r}"
            continue
        if re.search(rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])", line.raw.replace(b"\\\\", b"")):
            yield "an unpaired surrogate"
        if not isinstance(value, (dict, list)) or value == []:
            yield f"a line that is no message: {line.raw[:80]!r}"


@checker
def lines_are_short(evidence):
    for line in evidence.server.lines:
        if len(line.raw) + 1 > shapes.MAX_LINE:
            yield f"a line of {len(line.raw)} bytes"


@checker
def messages_fit_their_era(evidence):
    asked = evidence.first_asked()
    for _, message in evidence.messages():
        for fault in shapes.message_faults(message, asked, evidence.tools):
            yield f"{fault}: {json.dumps(message)[:120]}"


@checker
def ids_were_asked_and_answered_once(evidence):
    for key, messages in evidence.server.answers().items():
        if key is None:
            continue
        if key not in evidence.asked:
            yield f"an answer to id {key}, which nobody asked"
        elif len(messages) > len(evidence.asked[key]):
            yield f"id {key} was answered {len(messages)} times"


@checker
def silence_is_kept(evidence):
    for key in evidence.silent & set(evidence.server.answers()):
        yield f"id {key} was answered, and should not have been"


@checker
def progress_is_in_order(evidence):
    """A token may be given to several calls: progress for it may come until the last was answered."""
    token_of, given = {}, {}
    for key, calls in evidence.asked.items():
        for _, _, token in calls:
            if token is not None:
                token_of[key] = token
                given[token] = given.get(token, 0) + 1
    last, answered = {}, {}
    for _, message in evidence.messages():
        if not isinstance(message, dict):
            continue
        if message.get("method") == "notifications/progress":
            params = message.get("params", {})
            token = json.dumps(params.get("progressToken"))
            if token not in given:
                yield f"progress for token {token}, which nobody gave"
            elif answered.get(token, 0) >= given[token]:
                yield f"progress for token {token} after its answer"
            if params.get("progress", 0) <= last.get(token, -1):
                yield f"progress for token {token} that does not grow"
            last[token] = params.get("progress", 0)
        elif (token := token_of.get(json.dumps(message.get("id")))) is not None:
            answered[token] = answered.get(token, 0) + 1
            last.pop(token, None)


@checker
def stderr_is_plain(evidence):
    errors = evidence.server.errors
    if re.search(rb"[^\x20-\x7e\n]", errors):
        yield f"stderr holds other than printable ASCII: {errors[-200:]!r}"
    for line in errors.split(b"\n"):
        if len(line) > 4096:
            yield f"a line of {len(line)} bytes on stderr"
    for secret in evidence.secrets:
        if secret.encode() in errors:
            yield "stderr holds words of the program"


@checker
def end_is_prompt(evidence):
    if evidence.end is None:
        yield "the server still runs after its input ended"
        return
    code, took = evidence.end
    if took > LATEST_S:
        yield f"the server ended {took:.2f} s after its input"
    ended_at = evidence.server.ended_at
    for line in evidence.server.lines:
        if ended_at and line.at > ended_at + LATEST_S:
            yield "a line long after the end of input"


@checker
def nothing_is_left_running(evidence):
    for pid in evidence.left:
        yield f"process {pid} outlived the server"


@checker
def resources_return(evidence):
    before, after = evidence.before, evidence.after
    if not before or not after:
        return
    for what in ("descriptors", "threads", "children"):
        if after[what] > before[what]:
            yield f"{what}: {before[what]} before, {after[what]} after"
    if after["resident_kib"] > 64 * 1024:
        yield f"{after['resident_kib']} KiB resident"


def judge(evidence):
    """[(checker, what it found)]"""
    return [(name, finding) for name, check in CHECKERS.items() for finding in check(evidence)]

