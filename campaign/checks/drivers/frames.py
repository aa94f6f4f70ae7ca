"""Plays the raw MCP cases of adversarial/frames. args["sections"]: which of them.

The control arm plays one case against servers of wrong_server.py, each wrong in one way: every flaw must be found by
the checker that is there for it. args["part"]: [i, n], every nth flaw from the ith on; the checks share them.
"""

import os
import pathlib
import sys

import prelude
from prelude import ASK, end, is_control, source

# What an emulated guest would take minutes for is played on the native engine.
NATIVE_ONLY = {57, 62, 70}


def environment():
    return {"HOME": str(prelude.scratch()), "PATH": os.environ["PATH"], "PYBOX_HOME": ASK["home"]}


def flaws(play):
    import oracle
    import wrong_server
    folder = source() / "adversarial" / "frames"
    server = [sys.executable, "-B", str(folder / "wrong_server.py")]
    [case] = play.load(folder / "wrong_cases.json")
    schema = {tool["name"]: tool["outputSchema"] for tool in wrong_server.TOOLS}
    baseline = play.ask_tools([*server, "none"], environment())[2]
    missed = []
    first, step = ASK["args"]["part"]
    some = dict(list(wrong_server.FLAWS.items())[first::step])
    for flaw, checker in {"none": None, **some}.items():
        faults = play.Play(case, [*server, flaw], environment(), schema, baseline).run()
        found = {fault.split(":")[0] for fault in faults} & set(oracle.CHECKERS)
        if (checker is None and found) or (checker is not None and checker not in found):
            missed.append(f"{flaw}: found {sorted(found)}")
    end("unnoticed" if missed else "reached", missed[0] if missed else f"{len(some)} flaws found",
        missed=missed)


def work():
    sys.path.insert(0, str(source() / "adversarial" / "frames"))
    import play
    if is_control():
        flaws(play)
    words = [ASK["pybox"], "mcp", "--engine", ASK["engine"]]
    tools, _, baseline = play.ask_tools(words, environment())
    faults, played = [], 0
    for case in play.load():
        if case["section"] not in ASK["args"]["sections"]:
            continue
        if ASK["engine"] == "vm" and case["number"] in NATIVE_ONLY:
            continue
        played += 1
        found = play.Play(case, words, environment(), tools, baseline, slow=ASK["engine"] == "vm",
                          home=pathlib.Path(ASK["home"])).run()
        faults += [f"case {case['number']}, {case['title']}: {fault}"[:400] for fault in found]
    if played == 0:
        end("no-case")
    end("reached" if faults else "holds", faults[0] if faults else None, faults=faults[:20], played=played)


prelude.main(work)
