"""Images of packages: built from a lock in a builder, used, checked before each run, removed."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time

import host
from harness import NATIVE, VM, test
from homes import first_kernel_breaks, rewrite
from index import Index, source, wheel

BUILD_S = 300
PROBED = "print('probed')\n"


def pin(name, version, digest):
    return f"{name}=={version} --hash=sha256:{digest}\n"


def built(t, name, lock, env, *words, exit_code=0):
    """Builds natively, which takes seconds, whatever engine the image is used with."""
    run = t.pybox("image", "build", name, "--lock", t.file("tools.lock", lock), "--engine", "native", *words,
                  env=env, patience_s=BUILD_S)
    t.check(f"building {name}", run.exit == exit_code, f"exit {run.exit}: {run.errors[-600:]}")
    return run


def images(t):
    return {row["name"]: row for row in json.loads(t.pybox("image", "list", "--json").out)["images"]}


def image_folder(t, name):
    return pathlib.Path(t.home or t.setting.home) / "images" / name


def a_name(t, what):
    return f"{what}-{t.engine}-{os.getpid() % 10000}"


@test("an image is built from a lock, used, listed, refused when its lock changed, and removed", guest=False,
      timeout_s=BUILD_S, locks=("build",))
def life_of_an_image(t):
    name = a_name(t, "tools")
    with Index() as index:
        lock = pin("probe-a", "1.0", index.add("probe-a", wheel("probe_a", "1.0", {
            "probe_a/__init__.py": "WORD = 'from the wheel'\n", "probe_a/broken.py": "def (:\n"})))
        run = built(t, name, lock, index.env)
        t.check("its time is printed", re.search(r"built in [0-9.]+ s", run.errors), run.errors[-300:])
        t.has("it is there already the second time", built(t, name, lock, index.env).errors, "already there")
    # On the vm engine the VM runs already: the new image is plugged in.
    run = t.exec("--image", name, "-c", "import probe_a; print(probe_a.WORD, probe_a.__cached__)")
    t.ended(run, 0)
    t.has("the package", run.text, "from the wheel /usr/lib/python3/dist-packages/probe_a/__pycache__/")
    t.check("the receipt notes start-up code", any("start-up code" in note for note in run.get("notes", [])))
    t.equal("image in the receipt", run.get("request.image"), name)
    row = images(t)[name]
    t.equal("usable", row["usable"], True)
    t.equal("matches its recipe", row["matches_recipe"], True)
    t.equal("its packages", [(p["name"], p["version"]) for p in row["packages"]], [("probe-a", "1.0")])
    saved = image_folder(t, name) / "lock.txt"
    original = saved.read_bytes()
    rewrite(saved, lambda text: text[:-2] + bytes([text[-2] ^ 1]) + text[-1:])
    run = t.exec("--image", name, "-c", "print(1)")
    t.ended(run, 126, "NOT_STARTED", "NOT_ATTEMPTED")
    t.has("it says why", run.errors, "another lock")
    t.has("and how to rebuild", run.errors, f"pybox image build {name} --lock FILE")
    t.equal("the list says so", images(t)[name]["matches_recipe"], False)
    rewrite(saved, lambda _: original)
    t.ended(t.exec("--image", name, "-c", "print(1)"), 0)
    t.equal("removing it", t.pybox("image", "rm", name).exit, 0)
    t.lacks("the list afterwards", images(t), name)
    t.check("its folder is gone", not image_folder(t, name).exists())
    t.ended(t.exec("--image", name, "-c", "print(1)"), 126, "NOT_STARTED", "NOT_ATTEMPTED")


@test("each way a build can fail has its own message, and no image is left", engines=NATIVE, guest=False,
      timeout_s=BUILD_S, locks=("build",))
def failing_builds(t):
    name = a_name(t, "broken")
    canary = t.folder / "canary"
    with Index() as index:
        good = index.add("probe-b", wheel("probe_b", "1.0", {"probe_b.py": PROBED}))
        index.add("probe-b", wheel("probe_b", "2.0", {"probe_b.py": PROBED}, tags="cp39-cp39-win32"))
        hostile = index.add("probe-c", source("probe-c", "1.0", f"open({str(canary)!r}, 'w')\n"))
        for lock, exit_code, said in (
                (pin("probe-b", "1.0", "0" * 64), 125, "`probe-b==1.0` is not the one that was pinned"),
                (pin("probe-b", "3.0", good), 125, "the package index has no `probe-b==3.0`"),
                (pin("probe-b", "2.0", good), 125, "no wheel of `probe-b==2.0` for Python 3.13"),
                (pin("probe-x", "1.0", good), 125, "the package index has no `probe-x==1.0`"),
                (pin("probe-c", "1.0", hostile), 125, "no wheel of `probe-c==1.0`")):
            run = built(t, name, lock, index.env, exit_code=exit_code)
            t.has("message", run.errors, said)
            t.has("hint", run.errors, "hint: ")
            t.check(f"no image after: {said}", not image_folder(t, name).exists())
        env = index.env
    run = built(t, name, pin("probe-b", "1.0", good), env, exit_code=125)
    t.has("no network", run.errors, "the package index cannot be reached")
    t.check("the build script never ran", not canary.exists())
    for bad in ("a", "Tools", "a_b", "stdlib", "data", "x" * 32):
        run = t.pybox("image", "build", bad, "--lock", t.file("tools.lock", pin("probe-b", "1.0", good)))
        t.equal(f"the name {bad}", run.exit, 126)
    left = [p.name for p in (t.setting.home / "cache").glob("work-*")]
    t.equal("work folders left", left, [])


@test("a build that is killed leaves no image and no process, and the next one succeeds", engines=NATIVE,
      guest=False, apart=True, timeout_s=BUILD_S, locks=("build",))
def killed_build(t):
    name = a_name(t, "killed")
    with Index() as index:
        lock = t.file("tools.lock", pin("probe-d", "1.0", index.add("probe-d", wheel("probe_d", "1.0", {
            f"probe_d/m{i}.py": f"x = {i}\n" for i in range(300)}))))
        process = t.start("image", "build", name, "--lock", lock, "--engine", "native", env=index.env)
        at_work = lambda: [pid for pid in host.all_pids() if "/tmp/in/builder.py" in host.command_line(pid)]
        t.until("the builder is at work", at_work, 60)
        process.send_signal(signal.SIGKILL)
        process.wait()
        t.until("the builder is gone", lambda: not at_work(), 10)
        t.check("no image", not image_folder(t, name).exists())
        built(t, name, lock.read_text(), index.env)
    t.ended(t.exec("--image", name, "-c", "import probe_d.m7; print(probe_d.m7.x)"), 0)
    t.equal("removing it", t.pybox("image", "rm", name).exit, 0)


@test("pip runs nowhere but in the builder", engines=NATIVE, guest=False, apart=True, timeout_s=BUILD_S,
      locks=("build",))
def pip_only_inside(t):
    name = a_name(t, "inside")
    trap = t.folder / "bin"
    for tool in ("pip", "pip3", "uv", "uvx", "python3", "python"):
        t.file(f"bin/{tool}", f"#!/bin/sh\necho ran >>{t.folder}/canary\n").chmod(0o755)
    seen, inside, done = [], [], threading.Event()
    ours = os.readlink("/proc/self/ns/mnt")

    def watch():
        while not done.is_set():
            for pid in host.all_pids():
                words = host.command_line(pid)
                if not re.search(r"/pip( |$)|/pip/pip|/uv( |$)", words):
                    continue
                try:
                    (seen if os.readlink(f"/proc/{pid}/ns/mnt") == ours else inside).append(words)
                except OSError:
                    continue
            time.sleep(0.01)

    watcher = threading.Thread(target=watch)
    watcher.start()
    with Index() as index:
        lock = pin("probe-e", "1.0", index.add("probe-e", wheel("probe_e", "1.0", {"probe_e.py": PROBED})))
        built(t, name, lock, {**index.env, "PATH": f"{trap}:{os.environ['PATH']}"})
    done.set()
    watcher.join()
    t.check("pip was seen in the builder", inside)
    t.equal("pip or uv on the host", seen, [])
    t.check("no pip, uv or python of the caller's PATH ran", not (t.folder / "canary").exists())
    t.equal("removing it", t.pybox("image", "rm", name).exit, 0)


@test("where no engine is named the builder is a box where the host makes one, else a VM, and says so",
      engines=NATIVE, guest=False, timeout_s=BUILD_S)
def builder_place(t):
    name = a_name(t, "place")
    with Index() as index:
        lock = t.file("tools.lock", pin("probe-g", "1.0", index.add("probe-g", wheel("probe_g", "1.0", {"probe_g.py": PROBED}))))
        run = t.pybox("image", "build", name, "--lock", lock, env={**index.env, "PYBOX_ENGINE": ""}, patience_s=BUILD_S)
        t.well("built", run)
        t.has("place and reason", run.errors, "the builder is a sealed box on this host: no engine was named")
        t.equal("removing it", t.pybox("image", "rm", name).exit, 0)
        run = built(t, name, lock.read_text(), index.env)
        t.has("place and reason", run.errors, "the builder is a sealed box on this host, since the engine `native` was named")
        t.equal("removing it", t.pybox("image", "rm", name).exit, 0)
        env = {**t.environment(), **index.env, "PATH": str(t.folder / "bin"), "PYBOX_ENGINE": ""}
    # Root that knows one id only cannot make the box; without QEMU the error tells which builder was wanted.
    t.file("bin/mkfs.erofs", "").chmod(0o755)
    for words, said in (((), "building in a VM, since giving"), (("--engine", "native"), "giving")):
        done = subprocess.run([shutil.which("unshare"), "--user", "--map-root-user", t.setting.pybox, "image", "build",
                               name, "--lock", lock, *words], env=env, capture_output=True, text=True, timeout=60)
        t.equal(f"exit code {words}", done.returncode, 125)
        t.has(f"what it says {words}", done.stderr, f"error: {said}")
        t.equal(f"whether a VM was wanted {words}", "`qemu-system-x86_64` is not installed" in done.stderr, not words)


@test("a builder VM builds the same image as a native builder", engines=VM, guest=False, timeout_s=BUILD_S,
      locks=("build",))
def builder_vm(t):
    name = a_name(t, "vmbuilt")
    with Index() as index:
        lock = pin("probe-f", "1.0", index.add("probe-f", wheel("probe_f", "1.0", {
            "probe_f/__init__.py": "import os\nX = 'x' * 3\n", "probe_f/other.py": PROBED})))
        built(t, name, lock, index.env)
        native = images(t)[name]["image_id"]
        t.equal("removing it", t.pybox("image", "rm", name).exit, 0)
        run = t.pybox("image", "build", name, "--lock", t.file("tools.lock", lock), "--engine", "vm", patience_s=BUILD_S,
                      env={**index.env, **first_kernel_breaks(t)})
    t.well("built in a VM", run)
    t.has("the notice", run.errors, "the guest did not start (the builder VM's kernel broke); trying again")
    t.has("a VM was started for it", run.errors, "starting the builder VM")
    t.equal("image ID", images(t)[name]["image_id"], native)
    t.equal("removing it", t.pybox("image", "rm", name).exit, 0)


GROUP_BY = """
import pandas as pd, matplotlib.pyplot as plt
frame = pd.read_csv('/tmp/input/sales.csv').groupby('region').amount.sum()
frame.to_csv('/tmp/output/sums.csv')
frame.plot.bar()
plt.savefig('/tmp/output/chart.png')
print(plt.get_backend())
"""


@test("pandas groups a CSV and matplotlib draws it, without a display and at once", guest=False)
def group_by(t):
    data = t.file("sales.csv", "region,amount\nnorth,1\nsouth,2\nnorth,3\n")
    out = t.folder / "out"
    run = t.exec("--image", "data", "--input", data, "--output", out, "-c", GROUP_BY, limit_s=30)
    t.ended(run, 0)
    t.equal("stderr of the program", run.get("capture.stderr.bytes_total"), 0)
    t.equal("backend", run.text.strip().lower(), "agg")
    t.equal("sums", (out / "sums.csv").read_text(), "region,amount\nnorth,4\nsouth,2\n")
    t.check("a PNG", (out / "chart.png").read_bytes().startswith(b"\x89PNG"))
    if not t.slow:
        t.within("seconds", run.get("outcome.wall_s"), 0, 10)


@test("the list of fonts that `data` ships is the one matplotlib would write", engines=NATIVE, guest=False)
def font_list(t):
    run = t.exec("--image", "data", "-c", """
import json, matplotlib.font_manager as f, matplotlib.cbook as c
shipped = json.load(open(c._get_data_path('pybox-fontlist.json')))
made = json.loads(json.dumps(f.FontManager(), cls=f._JSONEncoder))
key = lambda entry: json.dumps(entry, sort_keys=True)
for kind in ('ttflist', 'afmlist'):
    print(sorted(map(key, shipped.pop(kind))) == sorted(map(key, made.pop(kind))))
print(shipped == made)
""", limit_s=30)
    t.ended(run, 0)
    t.equal("kinds that agree", run.text.split(), ["True", "True", "True"])


@test("memory of `data`: 300 MiB show in the final peak, 700 MiB end with 137", guest=False)
def data_memory(t):
    run = t.exec("--image", "data", "-c", "import numpy as np\na = np.ones(300 << 17)\nprint(a.nbytes >> 20)",
                 limit_s=30)
    t.ended(run, 0)
    t.equal("MiB", run.text.strip(), "300")
    t.check("peak", (run.get("kernel.memory_peak_bytes") or 0) >= 300 << 20, str(run.get("kernel.memory_peak_bytes")))
    t.receipt(run, kernel__memory_peak_final=True)
    run = t.exec("--image", "data", "-c", "import numpy as np\na = np.ones(700 << 17)", limit_s=30)
    t.ended(run, 137, "OUT_OF_MEMORY_KILL_OBSERVED")
    t.receipt(run, outcome__out_of_memory=True, outcome__signal=9)


@test("tabulate, rich and pyyaml from a lock that uv made", engines=NATIVE, guest=False, timeout_s=BUILD_S,
      locks=("build",))
def real_packages(t):
    name = a_name(t, "real")
    lock = (pathlib.Path(__file__).parent / "tools.lock").read_text()
    # The index is the one that this machine's pip uses.
    passed_on = {key: value for key, value in os.environ.items()
                 if key.startswith("PIP_") or key.lower().endswith("_proxy") or key == "SSL_CERT_FILE"}
    built(t, name, lock, passed_on)
    run = t.exec("--image", name, "-c", "import rich, tabulate, yaml\n"
                 "print(tabulate.tabulate([[1, 2]]), yaml.safe_load('a: [1]'), yaml.__with_libyaml__)")
    t.ended(run, 0)
    t.has("output", run.text, "{'a': [1]} True")
    t.equal("removing it", t.pybox("image", "rm", name).exit, 0)


@test("another Python is another base image, and one that was not set up says how", engines=NATIVE, guest=False)
def other_python(t):
    run = t.exec("--python", "3.14", "-c", "import sys; print(sys.version_info[:2])")
    t.ended(run, 0)
    t.equal("version", run.text.strip(), "(3, 14)")
    t.home = t.folder / "own"
    run = t.exec("--python", "3.15", "-c", "print(1)")
    t.ended(run, 126, "NOT_STARTED", "NOT_ATTEMPTED")
    t.has("how to get it", run.errors, "pybox setup --python 3.15")
