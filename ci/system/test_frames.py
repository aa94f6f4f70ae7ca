"""The raw protocol cases of adversarial/frames against `pybox mcp`, and the oracle against servers that are
wrong on purpose."""

import sys
from concurrent.futures import ThreadPoolExecutor

import adversarial
from harness import NO_ENGINE, test

FRAMES = adversarial.FOLDER / "frames"
sys.path.insert(0, str(FRAMES))

import oracle  # noqa: E402
import play  # noqa: E402
import wrong_server  # noqa: E402

CASES = list(play.load())
# What an emulated VM would take minutes for is played on the native engine; the lines that are judged
# come from the same code.
NATIVE_ONLY = {57, 62, 70}


def play_all(t, wanted):
    words = [str(t.setting.pybox), "mcp", "--engine", t.engine]
    tools, _, baseline = play.ask_tools(words, t.environment())
    for case in CASES:
        if not wanted(case) or (t.engine == "vm" and case["number"] in NATIVE_ONLY):
            continue
        faults = play.Play(case, words, t.environment(), tools, baseline, slow=t.slow, home=t.setting.home).run()
        shown = f" with {case['with']}" if case["with"] else ""
        t.check(f"case {case['number']}, {case['title']}{shown}"[:200], not faults, "; ".join(faults)[:600])


def section(*names):
    return lambda case: case["section"] in names


@test("raw MCP frames: framing, envelopes, parameters, methods", timeout_s=240, guest=False)
def envelopes(t):
    play_all(t, section("framing and encoding", "batches and scalars", "envelope fields and ids",
                        "params, JSON syntax, size", "methods and notifications"))


@test("raw MCP frames: life cycle, arguments, the modern era, incidents", timeout_s=240, guest=False)
def life_cycle(t):
    play_all(t, section("life cycle", "arguments", "modern era", "incidents"))


@test("raw MCP frames: what the code prints and writes", timeout_s=240, guest=False)
def prints(t):
    play_all(t, section("what the code prints and writes"))


@test("raw MCP frames: cancellation, concurrency, progress", timeout_s=300, guest=False)
def concurrency(t):
    play_all(t, section("cancel, concurrency, progress"))


@test("raw MCP frames: pipes, end of input, signals", timeout_s=300, guest=False)
def pipes(t):
    play_all(t, section("pipes, end of input, signals"))


@test("every one of the 94 raw MCP cases is there", engines=NO_ENGINE)
def complete(t):
    t.equal("numbers", sorted({case["number"] for case in CASES if case["number"] <= 94}), list(range(1, 95)))
    for case in CASES:
        t.check(f"case {case['number']} expects something", bool(case["expect"]) or not case["steps"]
                or case["number"] in (4, 27, 28, 62))


@test("every checker of the MCP oracle catches a server that is wrong on purpose", engines=NO_ENGINE, timeout_s=300,
      guest=False)
def wrong(t):
    [case] = play.load(FRAMES / "wrong_cases.json")
    schema = {tool["name"]: tool["outputSchema"] for tool in wrong_server.TOOLS}

    baseline = play.ask_tools([sys.executable, str(FRAMES / "wrong_server.py"), "none"], t.environment())[2]

    def found(flaw):
        words = [sys.executable, str(FRAMES / "wrong_server.py"), flaw]
        faults = play.Play(case, words, t.environment(), schema, baseline).run()
        return {fault.split(":")[0] for fault in faults if fault.split(":")[0] in oracle.CHECKERS}

    t.equal("found of the right server", found("none"), set())
    t.equal("checkers that some flaw is for", set(wrong_server.FLAWS.values()), set(oracle.CHECKERS))
    # A server that is wrong is mostly waited for; a few at once take no longer than one.
    with ThreadPoolExecutor(8) as pool:
        for (flaw, checker), faults in zip(wrong_server.FLAWS.items(), pool.map(found, wrong_server.FLAWS)):
            t.check(f"{checker} catches {flaw}", checker in faults)
