"""Runs one of the black-box tests of ci/system. The control arm puts a pybox in between that spoils what comes of
it, so that a test which cannot fail is found out.

args: "test": its sentence; "wants": a path below the source tree without which it cannot run; "spoil": what the pybox in between does:
  "files"   one byte more in the first returned file      "server"  good results of `pybox mcp` are errors
  "words"   every digit 1 of what is printed is a 7        "image"   the program of a run is another
"""

import os
import subprocess
import sys

import prelude
from prelude import ASK, end, is_control, scratch, source

BETWEEN = r'''#!{python} -B
import os, pathlib, subprocess, sys, threading
words, spoil = sys.argv[1:], {spoil!r}
if words[:1] == ["vm-supervise"] or spoil == "server" and words[:1] != ["mcp"]:
    os.execv({pybox!r}, [{pybox!r}, *words])
if spoil == "server":
    server = subprocess.Popen([{pybox!r}, *words], stdin=sys.stdin.buffer, stdout=subprocess.PIPE)
    for line in server.stdout:
        os.write(1, line.replace(b'"isError":false', b'"isError":true'))
    sys.exit(server.wait())
if spoil == "image" and "-c" in words:
    words[words.index("-c") + 1] = "print('another program')"
done = subprocess.run([{pybox!r}, *words], stdin=sys.stdin.buffer, capture_output=spoil == "words")
if spoil == "words":
    os.write(1, done.stdout.replace(b"1", b"7"))
    os.write(2, done.stderr.replace(b"1", b"7"))
if spoil == "files" and "--output" in words:
    out = pathlib.Path(words[words.index("--output") + 1])
    for file in sorted(path for path in out.rglob("*") if path.is_file())[:1]:
        file.write_bytes(file.read_bytes() + b"!")
sys.exit(done.returncode)
'''


def between():
    folder = scratch() / "bin"
    folder.mkdir()
    (folder / "pybox").write_text(BETWEEN.format(python=sys.executable, pybox=ASK["pybox"], spoil=ASK["args"]["spoil"]))
    (folder / "pybox").chmod(0o755)
    return folder / "pybox"


def work():
    run = source() / "ci" / "system" / "run"
    if not run.exists():
        prelude.unmet("ci/system is not in the source tree")
    name = f"{ASK['args'].get('engine', ASK['engine'])}: {ASK['args']['test']}"
    wants = ASK["args"].get("wants")
    if wants and not (source() / wants).exists():
        prelude.unmet(f"{wants} is not there; this makes it: bash campaign/clients/install")
    pybox = between() if is_control() else ASK["pybox"]
    keep = {key: os.environ[key] for key in ("PATH", "PYBOX_VM_ACCELERATOR", "http_proxy", "https_proxy", "SSL_CERT_FILE")
            if key in os.environ}
    done = subprocess.run([sys.executable, "-B", str(run), "--pybox", str(pybox), "--home", ASK["home"], name],
                          env={**keep, "HOME": str(scratch()), "TMPDIR": str(scratch())}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace")
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    if done.returncode == 4:
        prelude.unmet("; ".join(lines[1:])[:300])
    if done.returncode not in (0, 1) or not lines:
        end("no-test", said=(done.stdout + done.stderr)[-600:])
    # Whose machine it is does not belong into the evidence.
    tree = [str(source()), os.path.realpath(source() / "build" / "clients")]
    failed = [line.replace(tree[1], "<clients>").replace(tree[0], "<source>") for line in lines[1:][:20]]
    end("passes" if done.returncode == 0 else "reached", failed[0] if done.returncode else None, lines=failed)


prelude.main(work)
