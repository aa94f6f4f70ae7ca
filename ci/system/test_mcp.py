"""`pybox mcp` as its users meet it: speed of the first answers, the second set of tools, what happens without a VM."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import zipfile

import adversarial
from harness import NATIVE, VM, test
from homes import OFFLINE

sys.path.insert(0, str(adversarial.FOLDER / "frames"))

import play  # noqa: E402
from server import Server  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Client:
    """One session; call() gives the result."""

    def __init__(self, t, *options, env=None, pybox=None):
        words = [str(pybox or t.setting.pybox), "mcp", "--engine", t.engine, *options]
        self.server, self.number, self.patience = Server(words, env or t.environment()), 0, 90
        self.ask("initialize", {"protocolVersion": "2025-11-25"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.end_input()
        self.server.wait_end(10)
        self.server.kill()

    def ask(self, method, params=None):
        self.number += 1
        self.server.send(play.compact({"jsonrpc": "2.0", "id": self.number, "method": method,
                                       "params": params or {}}).encode() + b"\n")
        if not self.server.wait_answer(str(self.number), self.patience):
            raise AssertionError(f"{method} was not answered; stderr {self.server.errors!r}")
        return self.server.answers()[str(self.number)][0]["result"]

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})


@test("the first answers come before anything is started", engines=NATIVE, serial=True, guest=False)
def quick(t):
    nowhere = {**t.environment(), "PYBOX_HOME": str(t.folder / "nothing-here")}
    times = []
    bare = []
    for _ in range(9):
        began = time.monotonic()
        subprocess.run([t.setting.pybox, "version"], stdout=subprocess.DEVNULL, check=True)
        bare.append(time.monotonic() - began)
        server = Server([str(t.setting.pybox), "mcp"], nowhere)
        began = time.monotonic()
        server.send(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n'
                    b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n')
        server.wait_answer("2", 10)
        times.append(time.monotonic() - began)
        server.end_input()
        server.wait_end(5)
        server.kill()
    # On a busy machine starting any program takes longer: what that took beside it, a few times over.
    t.within(f"seconds to initialize and list, start included (bare start {sorted(bare)[4]:.4f} s)", sorted(times)[4], 0,
             max(0.1 if t.slow else 0.04, 4 * sorted(bare)[4]))
    t.check("no state was made", not (t.folder / "nothing-here").exists())


@test("the list shows the operator's limits, and the second set of tools only when asked for", engines=NATIVE, guest=False)
def lists(t):
    with Client(t) as client:
        t.equal("tools", [tool["name"] for tool in client.ask("tools/list")["tools"]], ["run_python"])
    with Client(t, "--images", "stdlib,data", "--max-timeout", "12.5", "--max-output", "9000",
                "--tools", "validate_script,execute_python") as client:
        tools = client.ask("tools/list")["tools"]
        t.equal("tools", [tool["name"] for tool in tools], ["validate_script", "execute_python"])
        t.equal("execute_python's ceiling", tools[1]["inputSchema"]["properties"]["timeout_seconds"]["maximum"], 12)
    for words in (["--max-timeout", "301"], ["--images", "a,a"], ["--tools", "run"], ["--packages", "all"],
                  ["--max-concurrent", "0"], ["--default-timeout", "3"], ["--engine", "none"]):
        run = t.pybox("mcp", *words)
        t.equal(f"exit code of {words}", run.exit, 2)
        t.has(f"what is said of {words}", run.errors, words[0])


@test("execute_python says in words what happened", timeout_s=240)
def executes(t):
    with Client(t, "--tools", "execute_python") as client:
        good = client.call("execute_python", script="import sys; print('out'); print('err', file=sys.stderr)")
        text = good["content"][0]["text"]
        t.equal("isError", good["isError"], False)
        t.equal("structured and text", good["structuredContent"]["result"], text)
        for part in ("exit code: 0\n", "duration: ", "stdout:\nout\n", "stderr:\nerr\n"):
            t.has("the result", text, part)
        t.equal("the receipt beside it", good["structuredContent"]["execution"]["cleanup"]["status"], "REMOVED")
        bad = client.call("execute_python", script="import sys; sys.exit(3)")
        t.equal("isError of a script that fails", bad["isError"], True)
        t.has("its exit code", bad["content"][0]["text"], "exit code: 3")
        for arguments in ({"dependencies": ["six"]}, {}):
            script = "print(1)" if arguments else "# /// script\n# dependencies = ['six']\n# ///\nprint(1)"
            refused = client.call("execute_python", script=script, **arguments)
            t.has("dependencies are refused", refused["content"][0]["text"], "installs no packages (set by the server)")


@test("execute_python takes only what was built when packages are locked, and builds when any are allowed", engines=NATIVE,
      guest=False, timeout_s=400)
def packages(t):
    # A home where no dependency was built yet; what was downloaded is there.
    t.home = t.folder / "pybox"
    shutil.copytree(t.setting.home, t.home, symlinks=True, copy_function=os.link,
                    ignore=shutil.ignore_patterns("run", "receipts", "vm", "deps.*", "locks", "*.lock"))
    block = "# /// script\n# dependencies = ['tabulate']\n# ///\n"
    script = "import tabulate, iniconfig, socket\nprint(tabulate.tabulate([['of', 'wheels']]))\n"

    def call(which, text, dependencies=("iniconfig",), env=OFFLINE):
        with Client(t, "--tools", "execute_python", "--packages", which, env={**t.environment(), **env}) as client:
            client.patience = 300
            result = client.call("execute_python", script=text, dependencies=list(dependencies))
        return result["isError"], result["content"][0]["text"], result["structuredContent"]["execution"]

    failed, text, _ = call("locked", block + script, env={})
    t.equal("`locked`, not built yet: isError", failed, True)
    t.has("`locked`, not built yet: what is said", text,
          "were not built before, and this server builds none (set by the server)")
    failed, text, execution = call("any", block + script, env={})
    t.equal(f"`any`: isError ({text[:400]})", failed, False)
    t.has("`any`: the packages of block and argument are there", text, "of  wheels")
    image = execution["request"]["image"]
    t.check("`any`: it ran in an image of its own", image.startswith("deps."), image)
    t.equal("`any`: the box was removed", execution["cleanup"]["status"], "REMOVED")
    failed, text, execution = call("any", "print(1)", ["iniconfig==99"], env={})
    t.equal("`any`, a version that is nowhere: isError", failed, True)
    t.has("`any`, a version that is nowhere: it is named", text, "iniconfig==99")
    t.equal("`any`, a version that is nowhere: nothing ran", execution["outcome"]["observation"], "NOT_STARTED")
    # Without the network from here on: whatever is resolved or built now fails.
    for which in ("locked", "any"):
        failed, text, execution = call(which, block + script)
        t.equal(f"`{which}`, built before: isError ({text[:400]})", failed, False)
        t.equal(f"`{which}`, built before: the same image", execution["request"]["image"], image)
    failed, text, _ = call("any", block + script + "socket.create_connection(('192.0.2.1', 80), 1)\n")
    t.check("the script has no network", failed and "of  wheels" in text and "OSError" in text, text[:600])
    failed, text, _ = call("none", block + script)
    t.has("`none` refuses what was built too", text, "installs no packages (set by the server)")


@test("check_environment and validate_script need no engine, and say so", engines=VM + NATIVE, guest=False)
def checks(t):
    home = t.folder / "empty-home"
    with Client(t, "--tools", "check_environment,validate_script", env={**t.environment(), "PYBOX_HOME": str(home)}) as c:
        environment = c.call("check_environment")
        t.equal("isError", environment["isError"], False)
        text = environment["structuredContent"]["result"]
        t.has("Python", text, "Python: 3.13")
        t.has("the image is not there", text, "image stdlib: there is no image")
        if t.engine == "vm":
            t.has("the engine is down", text, "vm, not running")
        valid = c.call("validate_script", script="# /// script\n# requires-python = '>=3.12'\n"
                                                 "# dependencies = ['numpy>=2,<3']\n# ///\n", dependencies=["six"])
        t.equal("isError of a valid script", valid["isError"], False)
        t.has("its dependencies", valid["structuredContent"]["result"], "numpy")
        t.has("that nothing was asked", valid["structuredContent"]["result"], "no engine was asked")
        for script, dependencies in (("# /// script\n# dependencies = 7\n# ///\n", []), ("1", ["numpy >>> 2"]),
                                     ("# /// script\n# requires-python = '<3'\n# ///\n", [])):
            bad = c.call("validate_script", script=script, dependencies=dependencies)
            t.equal(f"isError of {script!r} {dependencies}", bad["isError"], True)
            t.has("what is said", bad["content"][0]["text"], "invalid")


@test("without the VM the tool is listed, and a call says what to do and that nothing was attempted", engines=VM)
def no_vm(t):
    home = t.folder / "other-home"
    (home).mkdir()
    (home / "images").symlink_to(t.setting.home / "images")
    with Client(t, env={**t.environment(), "PYBOX_HOME": str(home)}) as client:
        t.equal("tools", [tool["name"] for tool in client.ask("tools/list")["tools"]], ["run_python"])
        result = client.call("run_python", code="print(1)")
        execution = result["structuredContent"]["execution"]
        t.equal("isError", result["isError"], True)
        t.equal("cleanup", execution["cleanup"]["status"], "NOT_ATTEMPTED")
        t.equal("observation", execution["outcome"]["observation"], "NOT_STARTED")
        t.has("what to do", json.dumps(execution["hints"]), "pybox vm start")


@test("a receipt from a call verifies, and is kept", timeout_s=240)
def receipts(t):
    with Client(t, "--max-timeout", "30", "--default-timeout", "20") as client:
        execution = client.call("run_python", code=f"print('{t.nonce()}')")["structuredContent"]["execution"]
    verified = t.pybox("verify", t.file("receipt.json", json.dumps(execution)))
    t.equal(f"exit code of verify: {verified.errors}", verified.exit, 0)
    kept = t.pybox("receipts", execution["receipt_id"], "--json")
    t.equal("the kept receipt", json.loads(kept.out), execution)


@test("a bundle for desktop applications holds a server that works", engines=NATIVE, guest=False)
def bundle(t):
    out = t.folder / "bundle"
    subprocess.run([sys.executable, ROOT / "ci" / "packaging" / "mcpb", "--programs", t.setting.pybox.parent, "--out", out,
                    "--name", "io.github.example/pybox", "--url", "https://example.org/pybox.mcpb"], check=True,
                   capture_output=True, env=t.environment())
    with zipfile.ZipFile(out / "pybox.mcpb") as archive:
        archive.extractall(out / "unpacked")
    manifest = json.loads((out / "unpacked" / "manifest.json").read_text())
    program = out / "unpacked" / manifest["server"]["entry_point"]
    for file in program.parent.iterdir():
        file.chmod(0o755)
    with Client(t, pybox=program) as client:
        t.equal("a call", client.call("run_python", code="print(1)")["isError"], False)
    entry = json.loads((out / "server.json").read_text())
    t.check("a short description", len(entry["description"]) <= 100)
    t.equal("transport", entry["packages"][0]["transport"], {"type": "stdio"})
