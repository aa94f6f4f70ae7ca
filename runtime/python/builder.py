"""Runs the steps of a builder job, in the builder, and writes what they made as one stream.

Arguments: the job (JSON) and where the stream goes (a file, or a device of the builder VM).
Lines for whoever watches go to stdout: "pybox-builder: stage NAME", "pybox-builder: | LINE".
The stream's format is described in runtime/builder/pack.hpp.
"""

import configparser
import glob
import json
import os
import py_compile
import subprocess
import sys
import zipfile

OUT = "/tmp/out"
KEPT = 256 * 1024  # bytes of a step's output that go back
INDEX_KEYS = ("index-url", "extra-index-url", "trusted-host", "proxy", "timeout", "retries")
HOST_FROM_VM = "10.0.2.2"  # QEMU's user-mode network: the host


def say(line):
    sys.stdout.write("pybox-builder: " + line + "\n")
    sys.stdout.flush()


def unpack_pip():
    """pip comes with the base image as a wheel; unpacked it starts faster than from the archive."""
    wheels = glob.glob("/usr/share/python-wheels/pip-*.whl")
    if wheels:
        zipfile.ZipFile(wheels[0]).extractall("/tmp/pip")


def values_of(index):
    """What the host's pip is told about its index: its files, read as pip reads them, then PIP_…"""
    found = {}
    for text in index["files"]:
        parser = configparser.RawConfigParser()
        try:
            parser.read_string(text)
        except configparser.Error:
            continue  # pip complains about it to its owner
        for section in ("global", "download", "install"):
            if parser.has_section(section):
                found.update(parser.items(section))
    found.update((name[4:], value) for name, value in index["variables"].items() if name.startswith("PIP_"))
    values = {}
    for key, value in found.items():
        key, value = key.lower().replace("_", "-"), " ".join(value.split())
        if key in ("index-url", "extra-index-url"):
            # Folders are of the host; a URL is of the network.
            value = " ".join(word for word in value.split() if "://" in word and not word.lower().startswith("file:"))
        if key in INDEX_KEYS and value:
            values[key] = value
    return values


def seen_from_vm(url):
    """The host's loopback has another address in a VM; user and password stay."""
    scheme, mark, rest = url.partition("://") if "://" in url else ("", "", url)
    place, slash, path = rest.partition("/")
    user, at, host = place.rpartition("@")
    name, colon, port = host.partition(":")
    known = HOST_FROM_VM if name in ("localhost", "127.0.0.1") else name
    return scheme + mark + user + at + known + colon + port + slash + path


def index_environment(index):
    """The variables for pip and uv. The values may hold passwords: nothing here prints them."""
    values = values_of(index)
    proxies = {name: value for name, value in index["variables"].items()
               if name.lower().endswith("_proxy") and not name.startswith("PIP_") and value}
    if index["in_vm"]:
        there = {key: " ".join(map(seen_from_vm, values[key].split()))
                 for key in ("index-url", "extra-index-url", "proxy") if key in values}
        if any(values[key] != url for key, url in there.items()):
            # pip trusts the loopback without TLS.
            values["trusted-host"] = " ".join([*values.get("trusted-host", "").split(), HOST_FROM_VM])
        values.update(there)
        proxies = {name: value if name.lower() == "no_proxy" else seen_from_vm(value)
                   for name, value in proxies.items()}
    environment = {"PIP_" + key.upper().replace("-", "_"): value for key, value in values.items()}
    for key, name in (("index-url", "UV_DEFAULT_INDEX"), ("extra-index-url", "UV_INDEX"),
                      ("trusted-host", "UV_INSECURE_HOST"), ("timeout", "UV_HTTP_TIMEOUT"),
                      ("proxy", "http_proxy"), ("proxy", "https_proxy")):
        if key in values:
            environment[name] = values[key]
    return {**environment, **proxies, "PIP_CERT": index["certificates"], "SSL_CERT_FILE": index["certificates"]}


def run(step, environment):
    """The exit code of one step, and the end of what it printed."""
    say("stage " + step["stage"])
    kept = bytearray()
    try:
        child = subprocess.Popen(
            step["argv"], cwd="/tmp", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env={**environment, **step["environment"]})
    except OSError as problem:
        return 127, str(problem).encode()
    for line in child.stdout:
        say("| " + line.decode("utf-8", "replace").rstrip()[:300])
        kept += line
        if len(kept) > 2 * KEPT:
            del kept[:-KEPT]
    code = child.wait()
    return (128 - code if code < 0 else code), bytes(kept[-KEPT:])


def entry(stream, kind, path, size):
    name = os.fsencode(path)
    stream.write(b"%s %d %d\n" % (kind, size, len(name)))
    stream.write(name)


def write_tree(stream, folder, prefix):
    """Folders before their content, names in byte order; links and whatever is no file stay out."""
    count = 0
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda one: os.fsencode(one.name))
    for one in entries:
        path = prefix + one.name
        if one.is_dir(follow_symlinks=False):
            entry(stream, b"d", path, 0)
            count += 1 + write_tree(stream, one.path, path + "/")
        elif one.is_file(follow_symlinks=False):
            info = one.stat(follow_symlinks=False)
            with open(one.path, "rb") as content:
                data = content.read()
            entry(stream, b"x" if info.st_mode & 0o111 else b"f", path, len(data))
            stream.write(data)
            count += 1
        else:
            raise SystemExit("neither a file nor a folder: " + one.path)
    return count


def edit_tree(extras, folder):
    """Arguments: --edit FILE FOLDER. Changes files where the old text stands once, adds others."""
    with open(extras, encoding="utf-8") as file:
        wanted = json.load(file)
    for edit in wanted["edits"]:
        path = os.path.join(folder, edit["path"])
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        if text.count(edit["before"]) != 1:
            raise SystemExit(edit["path"] + " is not what PyBox's edit of it expects")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text.replace(edit["before"], edit["after"]))
    for name, content in wanted["files"].items():
        with open(os.path.join(folder, name), "x", encoding="utf-8", newline="") as file:
            file.write(content)


def compile_share(folder, prefix, share, shares):
    """Byte code for every shares-th file: which process compiles a file decides how its strings are
    written, so that is fixed. The tests of packages are left out; nobody imports them."""
    files = []
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in ("tests", "__pycache__"))
        files += [os.path.join(path, name) for name in names if name.endswith(".py")]
    for file in sorted(files)[share::shares]:
        try:
            py_compile.compile(file, dfile=prefix + os.path.relpath(file, folder), doraise=True,
                               invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
        except (py_compile.PyCompileError, ValueError, RecursionError, MemoryError, OSError):
            pass  # a template or a file for another Python: it stays as it is


def compile_all(folder, prefix, shares=2):
    """Arguments: --compile FOLDER PREFIX. The exit code is 0 unless a process died."""
    flags = ["-S", "-P", "-B"]
    children = [
        subprocess.Popen([sys.executable, *flags, __file__, "--compile", folder, prefix, str(share),
                          str(shares)]) for share in range(shares)]
    return max(abs(child.wait()) for child in children)


def write_pack(target, status):
    text = json.dumps(status).encode()
    with open(target, "r+b") as stream:
        stream.write(b"pybox-pack 1\n")
        entry(stream, b"f", "status.json", len(text))
        stream.write(text)
        count = 1 + write_tree(stream, OUT, "out/")
        stream.write(b"end %d 0\n" % count)
        stream.flush()
        os.fsync(stream.fileno())


def main():
    if sys.argv[1] == "--edit":
        return edit_tree(sys.argv[2], sys.argv[3])
    if sys.argv[1] == "--compile":
        if len(sys.argv) == 4:
            return compile_all(sys.argv[2], sys.argv[3])
        return compile_share(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    os.makedirs(OUT, exist_ok=True)
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8",
                   "TMPDIR": "/tmp", **index_environment(job["index"])}
    unpack_pip()
    status = {"step": 0, "exit_code": 0, "said": ""}
    for number, step in enumerate(job["steps"]):
        code, said = run(step, environment)
        status = {"step": number, "exit_code": code, "said": said.decode("utf-8", "replace")}
        if code != 0:
            break
    say("stage handing over the result")
    write_pack(sys.argv[2], status)
    say("done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
