"""One test for each entry of cases.json: a program and what must be seen of it from outside.

An entry: {id, why, code | program (bytes as \\xNN), args, argv, stdin, env, limit_s, reach, engines, expect}.
reach: code that gets as far as the program must get before its limit, and ends there. How long that takes here, a few
times over, is the limit then: an emulated guest on a busy machine needs longer.
expect: exit (number or list), stdout (exact), stdout_has, stderr_has, stdout_lacks (text or list),
receipt {dotted.path: value | {"min": n, "max": n} | {"in": [...]}}, max_wall_s (where nothing is emulated).
"""

import json
import pathlib

from harness import ALL, ENOUGH, ENOUGH_EMULATED_S, test

CASES = json.loads((pathlib.Path(__file__).parent / "cases.json").read_text(encoding="utf-8"))["cases"]
KNOWN_KEYS = {"id", "why", "code", "program", "args", "argv", "stdin", "env", "limit_s", "reach", "engines", "expect"}
KNOWN_EXPECT = {"exit", "stdout", "stdout_has", "stderr_has", "stdout_lacks", "receipt", "max_wall_s"}


def _agrees(got, wanted):
    if not isinstance(wanted, dict):
        return got == wanted
    if "in" in wanted:
        return got in wanted["in"]
    number = isinstance(got, (int, float)) and not isinstance(got, bool)
    return number and wanted.get("min", got) <= got <= wanted.get("max", got)


def _texts(value):
    return [value] if isinstance(value, str) else value


def _check_streams(t, run, expect):
    if "stdout" in expect:
        t.equal("stdout", run.text, expect["stdout"])
    for part in _texts(expect.get("stdout_has", [])):
        t.has("stdout", run.text, part)
    for part in _texts(expect.get("stderr_has", [])):
        t.has("stderr", run.errors, part)
    for part in _texts(expect.get("stdout_lacks", [])):
        t.lacks("stdout", run.text, part)


def _run_case(t, case):
    if "program" in case:
        source = case["program"].encode("ascii").decode("unicode_escape").encode("latin-1")
    else:
        source = case["code"].encode()
    program = t.file("case.py", source)
    expect = case["expect"]
    limit_s = case.get("limit_s", ENOUGH)
    if "reach" in case:
        limit_s = round(min(ENOUGH_EMULATED_S, max(limit_s, 3 * t.time_to_reach(case["reach"]))), 3)
    run = t.exec(*case.get("args", []), program, *case.get("argv", []), limit_s=limit_s,
                 stdin=case.get("stdin", "").encode(), env=case.get("env"))
    codes = expect.get("exit", 0)
    t.check("exit code", run.exit in (codes if isinstance(codes, list) else [codes]),
            f"got {run.exit}, wanted {codes}; stderr …{run.errors[-400:]!r}")
    _check_streams(t, run, expect)
    t.receipt(run)
    for path, wanted in {"cleanup.status": "REMOVED", "seal.verified": True, **expect.get("receipt", {})}.items():
        got = run.get(path, "<absent>")
        t.check(path, _agrees(got, wanted), f"got {got!r}, wanted {wanted!r}")
    if "max_wall_s" in expect and not t.slow:
        t.within("seconds from outside", run.wall_s, 0, expect["max_wall_s"])


def _register(case):
    unknown = (case.keys() - KNOWN_KEYS) | (case["expect"].keys() - KNOWN_EXPECT)
    if unknown:
        raise ValueError(f"case {case['id']}: unknown keys {sorted(unknown)}")
    test(f"case {case['id']}", engines=tuple(case.get("engines", ALL)), labels=("case",))(
        lambda t: _run_case(t, case))


for _case in CASES:
    _register(_case)
