"""`pybox setup` from outside: what it builds, that it builds the same again, and how it fails.

Builds here are made without network from the package cache of the shared home: the archive may change
between two of them, and then they must differ.
"""

import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import threading
import time

from harness import NO_ENGINE, test

# Every connection is refused at once: a host without network, for apt.
OFFLINE = {"http_proxy": "http://127.0.0.1:1/", "https_proxy": "http://127.0.0.1:1/"}
BUILD_S = 180
ORDINARY_UID = 65534


# ---- what is on the disk ---------------------------------------------------------------------------


def escaped(raw):
    return "".join(chr(b) if 0x20 < b < 0x7F and b != 0x5C else f"\\x{b:02x}" for b in raw)


def tree_list(root):
    """The canonical text of a tree, as runtime/image/tree.hpp describes it, written a second time."""
    root = os.fsencode(root)
    entries = [(b".", root)]
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(folder, name)
            entries.append((os.path.relpath(path, root), path))
    lines = []
    for name, path in sorted(entries, key=lambda e: (e[0] != b".", e[0])):
        status = os.lstat(path)
        mode = f"{stat.S_IMODE(status.st_mode):04o}"
        if stat.S_ISLNK(status.st_mode):
            kind, content = "l", escaped(os.readlink(path))
        elif stat.S_ISDIR(status.st_mode):
            kind, content = "d", "-"
        elif stat.S_ISREG(status.st_mode):
            kind, content = "f", sha256_of(path)
        else:
            kind, content = "?", "-"
        lines.append(f"{kind} {mode} {content} {escaped(name)}\n")
    return "".join(lines)


def sha256_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def image_id(text):
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def manifest(home, *place):
    return json.loads(pathlib.Path(home, *place, "manifest.json").read_text())


def image_of(home):
    return pathlib.Path(home, "images", "stdlib")


def check_whole(t, home, uid):
    """The image and the kernel of a home are whole by their own records, and fit for a box."""
    image = image_of(home)
    record = manifest(image)
    text = tree_list(image / "rootfs")
    t.equal("the image ID is the digest of the tree", record["id"], image_id(text))
    t.equal("tree.list is the list of the tree", (image / "tree.list").read_text(), text)
    t.equal("image.erofs has its recorded digest", sha256_of(image / "image.erofs"), record["erofs"]["sha256"])
    modes = {line[:6] for line in text.splitlines()}
    t.equal("kinds and modes in the tree", modes, {"d 0555", "f 0444", "f 0555", "l 0777"})
    owners = {os.lstat(path).st_uid for path in image.rglob("*")}
    t.equal("owners in the image folder", owners, {uid})
    kernel = pathlib.Path(home, "vm", "kernel")
    for entry in manifest(kernel)["files"]:
        path = kernel / "modules" / entry["name"] if entry["name"].endswith(".ko") else kernel / entry["name"]
        t.equal(f"digest of {entry['name']}", sha256_of(path), entry["sha256"])
    listed = (kernel / "modules.list").read_text().split()
    t.equal("modules.list is the record's order", listed, [e["name"] for e in manifest(kernel)["files"]][1:])


def new_home(t, name="own"):
    """An empty home whose package cache is that of the shared one."""
    home = t.folder / name
    shared = t.setting.home / "cache"

    def link(source, target):
        try:
            os.link(source, target)
        except OSError:
            shutil.copy2(source, target)

    for folder in ("archives", "lists"):
        shutil.copytree(shared / folder, home / "cache" / folder, copy_function=link,
                        ignore=shutil.ignore_patterns("lock", "partial"))
    shutil.copy2(shared / "lists.complete", home / "cache")
    for folder in (home, home / "cache"):
        folder.chmod(0o700)
    t.home = home
    return home


def leftovers(home):
    """What only an unfinished set-up has."""
    return sorted(str(p) for pattern in ("cache/work-*", "images/.*", "vm/.*") for p in pathlib.Path(home).glob(pattern))


def processes_of(home):
    """Living processes that mention the home in their command line or environment."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            said = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
        except OSError:
            continue
        if os.fsencode(home) in said:
            found.append(said[:120])
    return found


# ---- building --------------------------------------------------------------------------------------


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


@test("a second run finds everything there within a second", engines=NO_ENGINE, serial=True)
def idempotent(t):
    before = {p: os.lstat(p).st_mtime_ns for p in (*image_of(t.setting.home).rglob("*"), t.setting.home / "vm/kernel/vmlinuz")}
    run = t.pybox("setup", env=OFFLINE)
    t.equal("exit code", run.exit, 0)
    t.equal("'already there' for image and kernel", run.errors.count("already there"), 2)
    t.within("wall time", run.wall_s, 0, 1.0)
    t.equal("untouched files", {p: os.lstat(p).st_mtime_ns for p in before}, before)
    t.equal("leftovers", leftovers(t.setting.home), [])


@test("two set-ups at once, without network, build the same image as before", engines=NO_ENGINE,
      timeout_s=300, serial=True)
def reproducible(t):
    home = new_home(t)
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
    t.within("seconds from nothing with a full cache", took, 0, 60)


@test("a set-up killed at any moment leaves nothing running and is finished by the next, as an ordinary user",
      engines=NO_ENGINE, timeout_s=400)
def interrupted(t):
    home = new_home(t)
    uid = os.geteuid() or ORDINARY_UID
    identity = {} if os.geteuid() else {"user": uid, "group": uid, "extra_groups": []}
    if identity:
        t.folder.chmod(0o711)
        for path in (t.folder / "home", home, *home.rglob("*")):
            path.mkdir(exist_ok=True) if path.name == "home" else None
            if path.is_file():  # a copy: the shared cache's file keeps its owner
                data = path.read_bytes()
                path.unlink()
                path.write_bytes(data)
            os.chown(path, uid, uid)
        program = t.folder / "pybox"
        shutil.copy2(t.setting.pybox, program)
        program.chmod(0o755)
    else:
        program = t.setting.pybox

    def start():
        return subprocess.Popen([str(program), "setup", "--yes"], cwd="/", stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                env={**t.environment(), **OFFLINE}, **identity)

    # A stage's line is printed at its end: the kill falls into the stage after it.
    for stage in ("checking what is there", "checking cached packages", "preparing the tree", "hashing the tree"):
        process = start()
        for line in process.stderr:
            if line.startswith(stage):
                break
        time.sleep(0.15)
        process.send_signal(signal.SIGKILL)
        rest = process.communicate()[1]
        t.equal(f"killed after '{stage}'", process.returncode, -signal.SIGKILL)
        t.until(f"nothing runs on after '{stage}' {rest!r}", lambda: not processes_of(home), 5)
        t.check(f"no half image after '{stage}'", not image_of(home).exists())
    process = start()
    said = process.communicate(timeout=BUILD_S)[1]
    t.equal("exit code of the run after", process.returncode, 0)
    check_whole(t, home, uid)
    t.equal("the same ID", manifest(image_of(home))["id"], manifest(image_of(t.setting.home))["id"])
    t.equal("leftovers", leftovers(home), [])
    t.has("summary", said, "ready in")


def rewrite(path, change):
    """Changes a file of a read-only tree and leaves its mode as it was."""
    mode = stat.S_IMODE(path.stat().st_mode)
    folder_mode = stat.S_IMODE(path.parent.stat().st_mode)
    path.parent.chmod(0o755)
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(change(data))
    path.chmod(mode)
    path.parent.chmod(folder_mode)


def copy_of_shared(t):
    """A home with everything of the shared one."""
    home = new_home(t)
    for part in ("images", "vm/kernel"):
        shutil.copytree(t.setting.home / part, home / part, symlinks=True)
    return home


def make_writable(home):
    for folder, _, _ in os.walk(home):
        os.chmod(folder, 0o755)


@test("a damaged file is found and the image built anew", engines=NO_ENGINE, timeout_s=300)
def damaged(t):
    home = copy_of_shared(t)
    rewrite(image_of(home) / "rootfs/usr/lib/python3.13/this.py", lambda data: data + b"\n")
    run = t.pybox("setup", "--yes", env=OFFLINE, patience_s=BUILD_S)
    t.equal("exit code", run.exit, 0)
    t.has("the damage is named", run.errors, "differs from its record at `usr/lib/python3.13/this.py`")
    t.has("the outcome", run.errors, "the image `stdlib` has the same ID as before")
    check_whole(t, home, os.geteuid())
    make_writable(home)


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
    make_writable(home)


# ---- errors ----------------------------------------------------------------------------------------


def refused(t, run, exit_code, *parts):
    t.equal("exit code", run.exit, exit_code)
    for part in parts:
        t.has("message", run.errors, part)
    t.equal("nothing on stdout", run.out, b"")


@test("words that set-up cannot serve are refused before anything is touched", engines=NO_ENGINE)
def wrong_words(t):
    t.home = t.folder / "never"
    refused(t, t.pybox("setup", "--yes", "--mirror", "ftp//nowhere"), 2, "--mirror wants the URL of a Debian mirror")
    refused(t, t.pybox("setup", "--yes", "--mirror", "http://m.example/debian [trusted=yes]"), 2, "--mirror")
    refused(t, t.pybox("setup", "--yes", "--python", "3.14"), 126, "Python 3.13")
    refused(t, t.pybox("setup", "--yes", "--with", "data"), 126, "`data`")
    t.check("no home was made", not t.home.exists())


@test("without network and without packages set-up says so", engines=NO_ENGINE)
def no_network(t):
    t.home = t.folder / "own"
    refused(t, t.pybox("setup", "--yes", env=OFFLINE), 125, "cannot be reached: no network", "--mirror")
    refused(t, t.pybox("setup", "--yes", "--mirror", "http://127.0.0.1:1/debian"), 125, "http://127.0.0.1:1/debian cannot be reached")
    t.equal("leftovers", leftovers(t.home), [])


@test("a damaged package in the cache is never used", engines=NO_ENGINE)
def damaged_package(t):
    home = new_home(t)
    package = next(home.glob("cache/archives/base-files_*.deb"))
    rewrite(package, lambda data: data[:-1] + bytes([data[-1] ^ 1]))
    home.joinpath("cache/archives").chmod(0o700)
    refused(t, t.pybox("setup", "--yes", env=OFFLINE, patience_s=BUILD_S), 125, "cannot be reached")
    t.check("it is gone", not package.exists())
    t.check("no image was made", not image_of(home).exists())


class Mirror(http.server.BaseHTTPRequestHandler):
    """Serves what `files` of the server holds; everything else is not there."""

    def do_GET(self):
        body = self.server.files.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_):
        pass


@test("a mirror that is none, or that Debian did not sign, is refused", engines=NO_ENGINE)
def bad_mirrors(t):
    t.home = t.folder / "own"
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Mirror)
    server.files = {}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/debian"
    refused(t, t.pybox("setup", "--yes", "--mirror", url), 125, f"{url} is not a mirror of Debian 13")
    server.files["/debian/dists/trixie/InRelease"] = b"<html>please log in</html>"
    refused(t, t.pybox("setup", "--yes", "--mirror", url), 125, f"{url} is not a mirror of Debian 13")
    signed = next(p for p in (t.setting.home / "cache/lists").glob("*dists_trixie_InRelease")).read_bytes()
    server.files["/debian/dists/trixie/InRelease"] = signed.replace(b"Origin: Debian", b"Origin: Debiam", 1)
    refused(t, t.pybox("setup", "--yes", "--mirror", url), 125, "is not signed by Debian's archive keys")
    refused(t, t.pybox("setup", "--yes", "--mirror", f"file://{t.folder}"), 125, "is not a mirror of Debian 13")
    server.shutdown()
    t.equal("leftovers", leftovers(t.home), [])
    t.check("no image was made", not image_of(t.home).exists())


@test("a home that cannot be written is named", engines=NO_ENGINE)
def unwritable_home(t):
    t.home = pathlib.Path("/proc/pybox")
    refused(t, t.pybox("setup", "--yes"), 125, "/proc/pybox", "PYBOX_HOME")


def in_private_mounts(t, script):
    """Runs a script as root of its own user and mount namespaces; its output and exit code."""
    words = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), "sh", "-euc", script]
    done = subprocess.run(words, capture_output=True, cwd=t.folder, timeout=BUILD_S, text=True,
                          env={**t.environment(), **OFFLINE, "PYBOX": str(t.setting.pybox)})
    return done.returncode, done.stdout + done.stderr


@test("missing tools are named with the packages that bring them", engines=NO_ENGINE)
def missing_tools(t):
    t.home = t.folder / "own"
    hide = "for tool in mmdebstrap mkfs.erofs; do mount --bind /dev/null \"$(command -v $tool)\"; done; "
    code, said = in_private_mounts(t, hide + '"$PYBOX" setup --yes')
    t.equal("exit code", code, 125)
    t.has("message", said, "`mmdebstrap`, `mkfs.erofs` are not installed")
    t.has("hint", said, "apt-get install erofs-utils mmdebstrap")
    code, said = in_private_mounts(t, 'mount -t tmpfs none /usr/share/keyrings; "$PYBOX" setup --yes')
    t.equal("exit code", code, 125)
    t.has("message", said, "apt-get install debian-archive-keyring")


@test("too small a disk is refused at once, and one that fills up is named", engines=NO_ENGINE, timeout_s=300)
def no_space(t):
    home = new_home(t)
    code, said = in_private_mounts(t, 'mount -t tmpfs -o size=100m none "$PYBOX_HOME"; "$PYBOX" setup --yes')
    t.equal("exit code on a small disk", code, 125)
    t.has("message", said, "not enough space: set-up needs")
    # The disk is large enough at first; somebody else fills it while packages are unpacked.
    code, said = in_private_mounts(
        t,
        'cp -r "$PYBOX_HOME" copy; mount -t tmpfs -o size=600m none "$PYBOX_HOME"; cp -r copy/. "$PYBOX_HOME"\n'
        '"$PYBOX" setup --yes 2>said & setup=$!\n'
        'until grep -q "^checking cached" said; do kill -0 $setup; sleep 0.02; done\n'
        'cat /dev/zero >"$PYBOX_HOME/filler" 2>/dev/null || true\n'
        'wait $setup || code=$?; cat said; ls -A "$PYBOX_HOME/cache" "$PYBOX_HOME/images"; exit ${code:-0}')
    t.equal("exit code on a full disk", code, 125)
    t.has("message", said, "no space left on the disk")
    t.has("hint", said, "then run `pybox setup` again")
    t.lacks("work folders", said, "work-")
    t.check("nothing was built in the home itself", not image_of(home).exists())
