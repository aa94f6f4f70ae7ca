"""A PyBox home as it lies on the disk: its images and kernel read a second time, without PyBox.

Builds here are made without network from the package cache of the shared home: the archive may change
between two of them, and then they must differ.
"""

import hashlib
import json
import os
import pathlib
import shutil
import stat

# Every connection is refused at once: a host without network, for apt.
OFFLINE = {"http_proxy": "http://127.0.0.1:1/", "https_proxy": "http://127.0.0.1:1/"}
# Patience for one build; TCG and other tests share the cores.
BUILD_S = 180


def escaped(raw):
    return "".join(chr(b) if 0x20 < b < 0x7F and b != 0x5C else f"\\x{b:02x}" for b in raw)


def tree_list(root):
    """The canonical text of a tree, as runtime/store/tree.hpp describes it, written a second time."""
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
        plain_module = entry["name"].endswith(".ko") and "/" not in entry["name"]
        path = kernel / "modules" / entry["name"] if plain_module else kernel / entry["name"]
        t.equal(f"digest of {entry['name']}", sha256_of(path), entry["sha256"])
    listed = (kernel / "modules.list").read_text().split()
    names = [entry["name"] for entry in manifest(kernel)["files"]][1:]
    t.equal("modules.list is the record's order", listed, [name for name in names if "/" not in name])


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


def side_home(t):
    """For a native test that counts the receipts of its own runs: a home beside the shared one, of the same images.
    The shared VM is one for all; a guest runs one test at a time."""
    if t.engine == "vm" or t.setting.guest:
        return
    t.home = t.folder / "side-home"
    t.home.mkdir(mode=0o700)
    (t.home / "images").symlink_to(t.setting.home / "images")
    shutil.copytree(t.setting.home / "keys", t.home / "keys")


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


def first_kernel_breaks(t):
    """Variables with which the first QEMU's kernel breaks, as it may in an emulator, and the next one is real."""
    qemu = t.file("bin/qemu-system-x86_64", "#!/bin/sh\n[ -e $0.ran ] && exec /usr/bin/qemu-system-x86_64 \"$@\"\n"
                                            ": > $0.ran\necho Kernel panic - not syncing\n")
    qemu.chmod(0o755)
    return {"PATH": f"{qemu.parent}:{os.environ['PATH']}"}
