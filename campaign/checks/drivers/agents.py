"""A real agent with a scripted model asks `pybox mcp` for one run. Judged is what the agent showed the model, and
that goes to stderr, so that the evidence keeps it.

args: "agent": "claude" or "codex"; "scenario": "chart", "error", "timeout" or "cancel". The control arm gives the
agent a server that is wrong in what the scenario is about.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import prelude
from prelude import ASK, end, is_control, scratch, source, unmet, wait_until

PATIENCE_S = 120
# Of each text that goes into the evidence.
SHOWN_KEPT = 24 * 1024
# And into the one line of answer, which reports show.
EXCERPT = 1200

# In place of pybox: what it answers is altered; for "cancel" it and its server outlive the agent.
WRONG = r'''#!{python} -B
import os, pathlib, subprocess, sys, threading, time
old, new, stays = {old!r}, {new!r}, {stays!r}
def copy(server):
    for line in server.stdout:
        try:
            os.write(1, line.replace(old, new))
        except OSError:
            pass
if not stays:
    server = subprocess.Popen([{pybox!r}, *sys.argv[1:]], stdin=sys.stdin.buffer, stdout=subprocess.PIPE)
    copy(server)
    sys.exit(server.wait())
relay = os.fork()
if relay:
    os.waitpid(relay, 0)
    sys.exit(0)
os.setsid()
server = subprocess.Popen([{pybox!r}, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
pathlib.Path(stays).write_text(str(server.pid))
threading.Thread(target=copy, args=(server,), daemon=True).start()
for line in sys.stdin.buffer:
    if b"notifications/cancelled" not in line:
        server.stdin.write(line)
        server.stdin.flush()
server.wait()
'''
# What a wrong server makes of its answers. Both forms of a result are text on the same line.
ALTERED = {"chart": (b"sum 150", b"sum 151"), "error": (b"ValueError", b"KeyError"),
           "timeout": (b"SUPERVISOR_KILL_OBSERVED", b"EXIT_OBSERVED")}


def wrong_server(scenario):
    old, new = ALTERED.get(scenario, (b"\n", b"\n"))
    file = scratch() / "pybox"
    stays = "" if scenario in ALTERED else str(scratch() / "server.pid")
    file.write_text(WRONG.format(python=sys.executable, pybox=ASK["pybox"], old=old, new=new, stays=stays))
    file.chmod(0o755)
    return str(file)


def tell(record, script):
    """What the model was shown, a line each, as part of the evidence."""
    def say(value):
        print(json.dumps(value)[:SHOWN_KEPT], file=sys.stderr, flush=True)

    say({"model": "scripted: it asked for the calls below, and understood nothing", "requests": record["requests"],
         "told_of": [tool["name"] for tool in record["tools"]]})
    for number, call in enumerate(script):
        say({"call": number, "asked": call})
        if number < len(record["shown"]):
            if "is_error" in record["shown"][number]:
                say({"call": number, "is_error": record["shown"][number]["is_error"]})
            print("shown: " + scripted.shown_text(record["shown"][number])[:SHOWN_KEPT], file=sys.stderr, flush=True)


def plays(setting, agent, call):
    with scripted.model(setting, [call]) as (address, record):
        running = scripted.start(setting, agent, address)
        try:
            out, _ = running.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            end("agent-late")
        finally:
            prelude.kill(-running.pid)
        kept = record()
    tell(kept, [call])
    if running.returncode != 0 or not kept["tools"] or not kept["shown"]:
        end("agent-failed", exit=running.returncode, said=out[-600:])
    wrong = scripted.faults(kept, [call])
    end("reached" if wrong else "holds", wrong[0][:300] if wrong else None, faults=[each[:300] for each in wrong],
        model="scripted", shown=scripted.shown_text(kept["shown"][0])[:EXCERPT])


def boxed():
    """Programs in boxes; every process seen here is this driver's."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
            inner = os.readlink(folder / "ns" / "pid") != os.readlink("/proc/self/ns/pid")
        except OSError:
            continue
        if inner and b"/tmp/main.py" in words:
            found.append(int(folder.name))
    return found


def is_adopted(code):
    # An agent may kill its server before that has signed: boxd kept the record then, and this adopts it.
    prelude.pybox("receipts")
    return scripted.was_cancelled(ASK["home"], code)


def is_cancelled(setting, agent, call):
    """Interrupted as by Ctrl-C while the program runs: its box must be gone, and a receipt must say so."""
    with scripted.model(setting, [call]) as (address, record):
        running = scripted.start(setting, agent, address)
        try:
            if not wait_until(boxed, PATIENCE_S):
                prelude.kill(-running.pid)
                end("agent-failed", said=running.communicate()[0][-600:])
            time.sleep(0.3)
            os.killpg(running.pid, signal.SIGINT)
            gone = wait_until(lambda: not boxed(), 8)
            told = gone and wait_until(lambda: is_adopted(call["code"]), 5, every_s=0.2)
        finally:
            prelude.kill(-running.pid)
            stop_server()
        tell(record(), [call])
    print(json.dumps({"box_gone_in_8_s": gone, "receipt_says_cancelled": told}), file=sys.stderr, flush=True)
    if not gone:
        end("reached", "the program ran on in its box after the agent was interrupted")
    end("holds" if told else "reached", None if told else "no receipt says that the run was cancelled")


def stop_server():
    """The wrong server's pybox: it ends its box itself when it is asked to."""
    place = scratch() / "server.pid"
    if place.exists():
        prelude.kill(int(place.read_text()), signal.SIGTERM)
        wait_until(lambda: not boxed(), 10)


def work():
    folder = source() / "campaign" / "clients" / "agents"
    if not (source() / "build" / "clients" / "installed").exists():
        unmet("the clients are not installed; this does: bash campaign/clients/install")
    global scripted
    sys.path.insert(0, str(folder))
    import scripted
    scenario = ASK["args"]["scenario"]
    agent = {"claude": scripted.claude, "codex": scripted.codex}[ASK["args"]["agent"]]
    setting = scripted.Setting(folder=scratch(), home=ASK["home"], engine=ASK["engine"], with_data=scenario == "chart",
                               pybox=wrong_server(scenario) if is_control() else ASK["pybox"])
    if scenario == "cancel":
        is_cancelled(setting, agent, scripted.cancel_call(ASK["nonce"]))
    plays(setting, agent, {"chart": lambda: scripted.chart_call(True), "error": lambda: scripted.error_call(ASK["nonce"]),
                           "timeout": scripted.timeout_call}[scenario]())


prelude.main(work, isolated=True)
