"""`pybox setup` from outside: what it builds, that it builds the same again, that kills do no harm."""

import json
import os
import re
import shutil
import signal
import subprocess
import time

from harness import NO_ENGINE, Pulse, test
from homes import (BUILD_S, OFFLINE, check_whole, image_id, image_of, leftovers, manifest, new_home, processes_of,
                   rewrite, sha256_of, tree_list)

ORDINARY_UID = 65534


@test("the image is what its record says, and its packages are the signed ones", engines=NO_ENGINE)
def image_is_whole(t):
    home = t.setting.home
    check_whole(t, home, os.geteuid())
    record = manifest(image_of(home))
    t.check("Debian 13's suite is named", "trixie" in record["suites"], str(record["suites"]))
    for package in [*record["packages"], *manifest(home, "vm", "kernel")["packages"]]:
        t.equal(f"digest of {package['file']}", sha256_of(home / "cache" / "archives" / package["file"]),
                package["sha256"])
    names = {package["name"] for package in record["packages"]}
    t.check("Python is among the packages", "python3.13" in names, str(sorted(names)))
    root = image_of(home) / "rootfs"
    t.equal("/usr/bin/python3", os.readlink(root / "usr/bin/python3"), "python3.13")
    for mount_point in ("proc", "dev", "tmp"):
        t.equal(f"/{mount_point} is empty", os.listdir(root / mount_point), [])
    t.equal("resolv.conf is empty", (root / "etc/resolv.conf").read_text(), "")
    t.equal("the host's name stays out", (root / "etc/hostname").read_text(), "box\n")


@test("the standard library is compiled once and for good", engines=NO_ENGINE)
def byte_code(t):
    library = image_of(t.setting.home) / "rootfs/usr/lib/python3.13"
    sources = [p for p in library.rglob("*.py") if "__pycache__" not in p.parts]
    t.check("there are sources", len(sources) > 500, str(len(sources)))
    compiled = [p.parent / "__pycache__" / f"{p.stem}.cpython-313.pyc" for p in sources]
    t.equal("sources without byte code", [str(p) for p in compiled if not p.exists()], [])
    # PEP 552: bit 0 says hash-based, bit 1 that the source is to be checked.
    flags = {int.from_bytes(p.read_bytes()[4:8], "little") for p in compiled if p.exists()}
    t.equal("flags of all .pyc", flags, {1})
    code = (library / "json/__pycache__/decoder.cpython-313.pyc").read_bytes()
    t.check("code knows its place in the box", b"/usr/lib/python3.13/json/decoder.py" in code)
    t.check("and nothing of where it was built", os.fsencode(t.setting.home) not in code)


@test("a second run finds everything there within a second", engines=NO_ENGINE, locks=("build",))
def idempotent(t):
    before = {p: os.lstat(p).st_mtime_ns for p in (*image_of(t.setting.home).rglob("*"), t.setting.home / "vm/kernel/vmlinuz")}
    with Pulse() as pulse:
        run = t.pybox("setup", env=OFFLINE)
    t.equal("exit code", run.exit, 0)
    t.equal("'already there' for image and kernel", run.errors.count("already there"), 2)
    t.soon("wall time", run.wall_s, 1.0 * pulse.share(), pulse)
    t.equal("untouched files", {p: os.lstat(p).st_mtime_ns for p in before}, before)
    t.equal("leftovers", leftovers(t.setting.home), [])


@test("two set-ups at once, without network, build the same image as before", engines=NO_ENGINE,
      timeout_s=300)
def reproducible(t):
    home = new_home(t)
    with Pulse() as pulse:
        both = [t.start("setup", "--yes", env=OFFLINE) for _ in range(2)]
        said = [process.communicate(timeout=BUILD_S)[1].decode() for process in both]
    t.equal("exit codes", [process.returncode for process in both], [0, 0])
    t.check("one waited and said so", sum("another `pybox setup`" in text for text in said) == 1, repr(said))
    t.check("one said there was no network", sum("cannot be reached" in text for text in said) == 1, repr(said))
    t.equal("one built, one found it there", sum("already there" in text for text in said), 1)
    check_whole(t, home, os.geteuid())
    t.equal("image record", manifest(image_of(home)), manifest(image_of(t.setting.home)))
    t.equal("kernel record", manifest(home, "vm", "kernel"), manifest(t.setting.home, "vm", "kernel"))
    t.equal("leftovers", leftovers(home), [])
    # Reading the archive's lists took apt some retries; from there it is PyBox's own time.
    took = float(re.search(r"ready in ([\d.]+) s", "".join(said)).group(1))
    t.within("seconds from nothing with a full cache", took, 0, 60 * pulse.share())


def give_away(folder, uid):
    """Makes a tree another user's; files are copied first, since the shared cache may own them too."""
    folder.mkdir(exist_ok=True)
    for path in (folder, *folder.rglob("*")):
        if path.is_file():
            rewrite(path, lambda data: data)
        os.chown(path, uid, uid)


@test("a set-up killed at any moment leaves nothing running and is finished by the next, as an ordinary user",
      engines=NO_ENGINE, timeout_s=400)
def interrupted(t):
    home = new_home(t)
    uid = os.geteuid() or ORDINARY_UID
    identity = {} if os.geteuid() else {"user": uid, "group": uid, "extra_groups": []}
    program = t.setting.pybox
    if identity:
        program = t.folder / "pybox"
        shutil.copy2(t.setting.pybox, program)
        program.chmod(0o755)
        t.folder.chmod(0o711)
        give_away(t.folder / "home", uid)
        give_away(home, uid)

    def start():
        return subprocess.Popen([str(program), "setup", "--yes"], cwd="/", stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                env={**t.environment(), **OFFLINE}, **identity)

    for stage in ("reading package lists", "unpacking packages", "compiling the standard library", "hashing the tree"):
        process = start()
        for line in process.stderr:
            if line.strip() == stage:
                break
        time.sleep(0.15)
        t.check(f"tools were at work while '{stage}'", len(processes_of(home)) > 1)
        process.send_signal(signal.SIGKILL)
        rest = process.communicate()[1]
        t.equal(f"killed while '{stage}'", process.returncode, -signal.SIGKILL)
        t.until(f"nothing runs on of '{stage}' {rest!r}", lambda: not processes_of(home), 5)
        t.check(f"no half image of '{stage}'", not image_of(home).exists())
    process = start()
    said = process.communicate(timeout=BUILD_S)[1]
    t.equal("exit code of the run after", process.returncode, 0)
    check_whole(t, home, uid)
    t.equal("the same ID", manifest(image_of(home))["id"], manifest(image_of(t.setting.home))["id"])
    t.equal("leftovers", leftovers(home), [])
    t.has("summary", said, "ready in")


def copy_of_shared(t):
    """A home with everything of the shared one."""
    home = new_home(t)
    for part in ("images", "vm/kernel"):
        shutil.copytree(t.setting.home / part, home / part, symlinks=True)
    return home


@test("a damaged file is found and the image built anew", engines=NO_ENGINE, timeout_s=300)
def damaged(t):
    home = copy_of_shared(t)
    rewrite(image_of(home) / "rootfs/usr/lib/python3.13/this.py", lambda data: data + b"\n")
    run = t.pybox("setup", "--yes", env=OFFLINE, patience_s=BUILD_S)
    t.equal("exit code", run.exit, 0)
    t.has("the damage is named", run.errors, "differs from its record at `usr/lib/python3.13/this.py`")
    t.has("the outcome", run.errors, "the image `stdlib` has the same ID as before")
    check_whole(t, home, os.geteuid())


@test("a changed archive gives another ID, and that is said aloud", engines=NO_ENGINE, timeout_s=300)
def changed_archive(t):
    home = copy_of_shared(t)
    image = image_of(home)
    newest = manifest(image)["id"]
    # The state as an older archive would have left it: whole by its own record, of an older tzdata.
    rewrite(image / "rootfs/usr/share/zoneinfo/tzdata.zi", lambda data: data.replace(b"# version", b"# Version"))
    text = tree_list(image / "rootfs")
    record = manifest(image)
    package = next(p for p in record["packages"] if p["name"] == "tzdata")
    version, package["version"] = package["version"], "2020a-1"
    record["id"] = image_id(text)
    rewrite(image / "tree.list", lambda _: text.encode())
    rewrite(image / "manifest.json", lambda _: json.dumps(record).encode())
    run = t.pybox("setup", env=OFFLINE)
    t.equal("it is taken as it is: exit code", run.exit, 0)
    t.has("it is taken as it is", run.errors, f"already there  {record['id']}")
    run = t.pybox("setup", "--yes", "--update", env=OFFLINE, patience_s=BUILD_S)
    t.equal("exit code", run.exit, 0)
    t.has("what changed and why", run.errors, f"the image `stdlib` changed: {record['id']} → {newest}, because "
          f"these packages changed: tzdata 2020a-1 → {version}")
    t.has("the kernel did not", run.errors, "is the newest")
    check_whole(t, home, os.geteuid())
