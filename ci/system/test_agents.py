"""Claude Code and Codex with a scripted model (campaign/clients/agents/scripted.py)."""

import json
import os
import signal
import sys
import time

import adversarial
import host
from harness import NATIVE, VM, test

sys.path.insert(0, str(adversarial.FOLDER.parent / "campaign" / "clients" / "agents"))
import scripted  # noqa: E402
from scripted import claude, codex  # noqa: E402


def has_data_image(t):
    listed = json.loads(t.pybox("image", "list", "--json").out)["images"]
    return any(image["name"] == "data" and image["usable"] for image in listed)


def setting_of(t, with_data=False):
    return scripted.Setting(folder=t.folder, pybox=t.setting.pybox, home=t.setting.home, engine=t.engine,
                            with_data=with_data, default_timeout_s=20 if t.slow else 0)


def agent_runs(t, agent):
    # numpy takes most of the limit to import in an emulated VM.
    setting = setting_of(t, with_data=not t.slow and has_data_image(t))
    script = [scripted.chart_call(setting.with_data), scripted.error_call(t.nonce()), scripted.timeout_call()]
    with scripted.model(setting, script) as (address, record):
        running = scripted.start(setting, agent, address)
        try:
            out, _ = running.communicate(timeout=150)
        finally:
            running.kill()
        t.equal(f"exit code of the agent ({out[-300:]!r})", running.returncode, 0)
        t.equal("wrong with what the model was shown", scripted.faults(record(), script), [])


def agent_is_interrupted(t, agent):
    """The agent is stopped during a run: the box is gone, and a receipt says that it was cancelled."""
    call = scripted.cancel_call(t.nonce())
    programs = host.Programs.of(t)
    before = host.View(programs)
    setting = setting_of(t)
    with scripted.model(setting, [call]) as (address, _):
        running = scripted.start(setting, agent, address)
        try:
            # Its process is there before it is the program's; a box that is still being made would be NOT_STARTED.
            up = t.until("the program runs", lambda: any("/tmp/main.py" in line and host.is_boxed(pid)
                                                         for (pid, _), line in programs.running().items()), 60)
            time.sleep(0.3)
            os.killpg(running.pid, signal.SIGINT)
            if up:
                t.until("no box is left", lambda: not any(host.is_boxed(pid) for pid, _ in programs.running()), 8)
            running.communicate(timeout=30)
        finally:
            running.kill()
    t.equal("left of the run", host.settle(programs, before, 5), [])
    t.until("a receipt says that it was cancelled", lambda: cancelled(t, call["code"]), 5)


def cancelled(t, code):
    # An agent may kill its server before that has signed: boxd kept the record then, and this adopts it.
    t.pybox("receipts")
    if scripted.was_cancelled(t.setting.home, code):
        return True
    time.sleep(0.1)
    return False


@test("Claude Code with a scripted model: a file in and a chart out, an error, a timeout", engines=NATIVE, guest=False,
      timeout_s=200)
def claude_code(t):
    agent_runs(t, claude)


@test("Claude Code with a scripted model on the VM: a file in and out, an error, a timeout", engines=VM, timeout_s=200)
def claude_code_on_vm(t):
    agent_runs(t, claude)


@test("Codex with a scripted model: a file in and a chart out, an error, a timeout", engines=NATIVE, guest=False,
      timeout_s=200)
def codex_cli(t):
    agent_runs(t, codex)


@test("Claude Code is interrupted during a run", engines=NATIVE, guest=False, timeout_s=200, apart=True)
def claude_code_interrupted(t):
    agent_is_interrupted(t, claude)


@test("Codex is interrupted during a run", engines=NATIVE, guest=False, timeout_s=200, apart=True)
def codex_interrupted(t):
    agent_is_interrupted(t, codex)
