"""What a hostile program's output does on the way to a person, a machine and a receipt. The control arm takes the
same way around the part of PyBox that is responsible, and the same observation must call that `reached`."""

import json
import os
import pty
import secrets
import select
import time

import prelude
from prelude import ASK, end, is_control, scratch

# Clear the screen, set the title, a link, the clipboard; 8-bit CSI raw and as UTF-8; backspace, bell, vertical moves.
SEQUENCES = (b"\x1b[2J\x1b]0;title\x07\x1b]8;;http://x\x1b\\\x1b]52;c;eA==\x07\x1bP1$r\x1b\\\x9b31m\xc2\x9b31m"
             b"\x08\x07\x0b\x0c\x0e\x7f\x1b[?2004h")
NAMES = [b"line\nbreak", b"esc\x1b[31m", b"bad\xff\xfe", b"-rf", "\u202egnp.exe".encode(), b"csi\xc2\x9b31m"]


class Terminal:
    """A terminal of which everything that was written to it is kept."""

    def __init__(self):
        self.ours, self.theirs = pty.openpty()
        self.seen = b""

    def take(self, patience_s=0.2):
        while select.select([self.ours], [], [], patience_s)[0]:
            self.seen += os.read(self.ours, 65536)

    def forbidden(self):
        """Bytes that would act: controls other than line ends and tabs, 8-bit ones, characters that turn text."""
        text = self.seen.decode("utf-8", "surrogateescape")
        return sorted({hex(ord(c)) for c in text if (ord(c) < 32 and c not in "\r\n\t") or 127 <= ord(c) < 160
                       or 0xdc80 <= ord(c) < 0xdd00 or c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"})


def run_shown(terminal, *words, code):
    """PyBox's own colours are off, so that every sequence seen is the program's."""
    process = prelude.start("exec", "--engine", ASK["engine"], "--timeout", 20, *words, "-c", code,
                            env={"NO_COLOR": "1"}, stdout=terminal.theirs, stderr=terminal.theirs)
    give_up = time.monotonic() + prelude.PATIENCE_S
    while process.poll() is None and time.monotonic() < give_up:
        terminal.take()
    if process.poll() is None:
        process.kill()
    terminal.take()
    return process.wait()


def judge(terminal, wanted):
    found = terminal.forbidden()
    if found:
        end("reached", found)
    end("visible" if wanted in terminal.seen else "nothing shown", None, shown=terminal.seen.decode(errors="replace")[-300:])


def ansi():
    terminal = Terminal()
    mark = secrets.token_hex(8)
    code = f"import os; os.write(1, {SEQUENCES!r} + b'{mark}\\n'); os.write(2, {SEQUENCES!r})"
    if is_control():
        done = prelude.run(code)
        os.write(terminal.theirs, done.out)  # as `pybox exec … | cat` would
        terminal.take()
    else:
        run_shown(terminal, code=code)
    judge(terminal, mark.encode())


def names():
    terminal = Terminal()
    folder = scratch() / "out"
    code = f"import os\nfor name in {NAMES!r}:\n    os.close(os.open(b'/tmp/output/' + name, os.O_CREAT | os.O_WRONLY))"
    if is_control():
        os.write(terminal.theirs, b"\n".join(NAMES))
        terminal.take()
    else:
        receipt = scratch() / "receipt.json"
        run_shown(terminal, "--output", folder, "--receipt", receipt, code=code)
        listed = json.loads(receipt.read_text())["files"]
        if listed["omitted_total"] + len(listed["returned"]) != len(NAMES):
            end("not listed", listed)
    judge(terminal, b"sealed" if not is_control() else b"line")


def first_receipt(text):
    """What a careless reader takes for the receipt: the first JSON object in the text, after whatever else."""
    for at in (at for at, letter in enumerate(text) if letter == "{"):
        try:
            return json.JSONDecoder().raw_decode(text[at:])[0]
        except ValueError:
            continue
    return {}


def spoof():
    fake = {"schema_version": 1, "receipt_id": ASK["nonce"], "outcome": {"exit_code": 0}, "seal": {"verified": True}}
    code = f"import sys; print({json.dumps(fake)!r}); print({json.dumps(fake)!r}, file=sys.stderr); sys.exit(3)"
    done = prelude.run(code) if is_control() else prelude.run(code, "--json")
    found = first_receipt(done.out.decode())
    if found.get("receipt_id") == ASK["nonce"]:
        end("reached", found)
    kept = found.get("capture", {}).get("stdout", {}).get("text", "")
    end("data" if found.get("outcome", {}).get("exit_code") == 3 and ASK["nonce"] in kept else "other", None)


def secret():
    """Planted in the environment and in a file of the caller's; the program tells all it can see."""
    planted = secrets.token_hex(16)
    home = prelude.environment()["HOME"]
    with open(os.path.join(home, "credentials"), "w") as file:
        file.write(planted)
    code = ("import os, glob\nprint(dict(os.environ))\n"
            "for path in glob.glob('/tmp/**', recursive=True) + ['/proc/self/environ', '/proc/1/environ']:\n"
            f"    if path in ('{home}/credentials',) or os.path.isfile(path) and not path.endswith('main.py'):\n"
            "        try: print(open(path).read())\n        except OSError as error: print(error)\n"
            f"try: print(open('{home}/credentials').read())\nexcept OSError as error: print(error)")
    words = ["--input", os.path.join(home, "credentials")] if is_control() else []
    done = prelude.run(code, *words, env={"API_TOKEN": planted, "PYBOX_PASSWORD": planted})
    if not done.receipt:
        end("no receipt", done.said()[-300:])
    places = {"stdout": done.out.decode(errors="replace"), "stderr": done.said(), "receipt": json.dumps(done.receipt)}
    found = [name for name, text in places.items() if planted in text]
    end("reached" if found else "absent", found or None)


prelude.main(lambda: {"ansi": ansi, "names": names, "spoof": spoof, "secret": secret}[ASK["args"]["what"]]())
