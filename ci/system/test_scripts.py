"""Locks, and scripts that name their dependencies: `pybox image lock`, `pybox exec --with-deps`.

One home with an image of its own for all of them: resolving and building take seconds natively, a minute in an
emulated VM.
"""

import json
import pathlib
import time

from harness import NATIVE, NO_ENGINE, test
from homes import OFFLINE

BUILD_S = 400

SCRIPT = """# /// script
# requires-python = ">=3.11"
# dependencies = ["rich>=13", "tabulate"]
# ///
import rich.table, sys, tabulate
print("rich", tabulate.__version__ != "", sys.version_info[:2])
"""


def write(t, name, text):
    path = t.folder / name
    path.write_text(text)
    return path


def exec_script(t, *words, **more):
    return t.pybox("exec", "--engine", t.engine, "--quiet", "--timeout", "20", *words, patience_s=BUILD_S, **more)


@test("a lock or script that is not what it should be is refused with its line", engines=NO_ENGINE, guest=False)
def refused(t):
    digest = "a" * 64
    locks = {
        "--index-url https://example.org/simple": "`--index-url` is an option",
        "a @ https://example.org/a.whl": "is a link",
        "./a.whl": "is a local path",
        "-e .": "`-e` is an option",
        "a>=1": "is not pinned to one version",
        "a==1": "has no `--hash=sha256:…`",
        f"a==1 --hash=sha256:{digest}\nA==1 --hash=sha256:{digest}": "is pinned twice",
        f"caf\u00e9==1 --hash=sha256:{digest}": "is not ASCII",
    }
    for text, reason in locks.items():
        lock = write(t, "bad.lock", "# a lock\n" + text + "\n")
        run = t.pybox("image", "build", "bad", "--lock", lock, env=OFFLINE)
        t.equal(f"exit code for {text[:30]!r}", run.exit, 126)
        line = 3 if "\n" in text else 2
        t.check(f"line and reason for {text[:30]!r}", f"bad.lock: line {line}: " in run.errors and reason in run.errors,
                run.errors)
    scripts = {
        "# /// script\n# ///\n\n# /// script\n# ///\n": "line 4: a second `script` block",
        "# /// script\n# dependencies = [\n# ///\n": "no valid TOML",
        "# /// script\n# dependencies = []\n": "the block of line 1 is not closed",
        "# /// script\n# dependencies = ['a @ file:///etc/passwd']\n# ///\n": "line 2: `a @ file:///etc/passwd` is a link",
        "# /// script\n# requires-python = '<3.12'\n# ///\n": "requires Python `<3.12`",
    }
    for text, reason in scripts.items():
        script = write(t, "bad.py", text)
        run = t.pybox("exec", "--with-deps", script, env=OFFLINE)
        t.equal(f"exit code for {reason!r}", run.exit, 126)
        t.check(f"{reason!r} is said", reason in run.errors, run.errors)
    t.check("nothing was built", not [p for p in (t.setting.home / "images").iterdir() if p.name.startswith("bad")])


@test("a script gets the packages its block names, and the next run asks nobody", guest=False, timeout_s=900,
      locks=("build",))
def with_deps(t):
    # Other dependencies for each engine: each builds an image of its own, in its own kind of builder.
    text = SCRIPT if t.engine == "native" else SCRIPT.replace('"rich>=13", ', "").replace("rich.table, ", "")
    script = write(t, "job.py", text)
    first = exec_script(t, "--with-deps", script)
    t.equal("first run", (first.exit, first.text), (0, "rich True (3, 13)\n"))
    second = exec_script(t, "--with-deps", script, "--json", env=OFFLINE)
    t.equal("second run, without network", (second.exit, second.errors), (0, ""))
    receipt = json.loads(second.text)
    t.check("it ran in a cached image", receipt["request"]["image"].startswith("deps."), str(receipt["request"]))
    t.check("its packages are said to be able to run start-up code", "start-up" in str(receipt["notes"]),
            str(receipt["notes"]))
    bare = exec_script(t, script)
    t.equal("without --with-deps its packages are not there", bare.exit, 1)
    sealed = write(t, "net.py", text + "import socket\nsocket.create_connection(('192.0.2.1', 80), 1)\n")
    t.equal("the program has no network", exec_script(t, "--with-deps", sealed).exit, 1)


@test("a script's lock stands beside it, and nothing is resolved at run time", engines=NATIVE, guest=False,
      timeout_s=600, locks=("build",))
def script_lock(t):
    script = write(t, "job.py", SCRIPT)
    locked = t.pybox("image", "lock", "--engine", t.engine, script, patience_s=BUILD_S)
    t.equal("exit code of the lock", locked.exit, 0)
    lock = t.folder / "pylock.job.toml"
    text = lock.read_text()
    t.check("it is PEP 751 with hashes", 'lock-version = "1.0"' in text and "sha256" in text, text[:300])
    cached = t.setting.home / "cache" / "locks"
    before = sorted(p.name for p in cached.iterdir()) if cached.is_dir() else []
    run = exec_script(t, "--with-deps", script)
    t.equal("a run with the lock", (run.exit, run.text), (0, "rich True (3, 13)\n"))
    after = sorted(p.name for p in cached.iterdir()) if cached.is_dir() else []
    t.equal("nothing was resolved for it", after, before)
    script.write_text(SCRIPT.replace('"tabulate"', '"tabulate", "pyyaml"'))
    stale = exec_script(t, "--with-deps", script)
    t.equal("a lock of another block: exit code", stale.exit, 126)
    t.check("and the way out", "pybox image lock job.py" in stale.errors, stale.errors)
    script.write_text(SCRIPT)
    lock.write_text(text.replace("sha256 = \"", "sha256 = \"0", 1))
    broken = exec_script(t, "--with-deps", script)
    t.equal("a damaged lock: exit code", broken.exit, 126)
    t.check("its line is named", "pylock.job.toml: line " in broken.errors, broken.errors)


@test("requirements become a lock that builds an image", engines=NATIVE, guest=False, timeout_s=600, locks=("build",))
def requirements_lock(t):
    wanted = write(t, "requirements.in", "tabulate\nrich  # pretty\npyyaml\n")
    locked = t.pybox("image", "lock", "--engine", t.engine, wanted, "-o", "tools.lock", patience_s=BUILD_S)
    t.equal("exit code of the lock", locked.exit, 0)
    t.check("how many packages", "tools.lock: 6 packages for Python 3.13" in locked.errors, locked.errors)
    again = t.pybox("image", "lock", "--engine", t.engine, wanted, patience_s=BUILD_S)
    pins = [line.split()[0] for line in again.text.splitlines() if "==" in line and not line.startswith("#")]
    t.check("on stdout without -o", "tabulate" in again.text and len(pins) == 6, again.text[:300])
    none = write(t, "none.in", "rich==99\n")
    failed = t.pybox("image", "lock", "--engine", t.engine, none, "-o", "none.lock", patience_s=BUILD_S)
    t.equal("an unsatisfiable set: exit code", failed.exit, 125)
    t.check("its reason", "rich==99" in failed.errors, failed.errors)
    t.check("no lock is left of it", not pathlib.Path(t.folder, "none.lock").exists())


@test("the second start of a script costs less than 20 ms more than a plain run", engines=NATIVE, guest=False,
      serial=True, timeout_s=600, locks=("build",))
def second_start(t):
    script = write(t, "quick.py", SCRIPT.split("import")[0] + "print(1)\n")
    t.equal("first run", exec_script(t, "--with-deps", script).exit, 0)
    times = {"plain": [], "deps": []}
    for _ in range(15):
        for name, words in (("plain", []), ("deps", ["--with-deps"])):
            began = time.monotonic()
            run = exec_script(t, *words, script)
            times[name].append(time.monotonic() - began)
            t.equal(f"{name} run", run.exit, 0)
    # The quickest of each: what other work on the host adds is not the question.
    t.within("added to a plain run (s)", min(times["deps"]) - min(times["plain"]), -0.02, 0.02)
