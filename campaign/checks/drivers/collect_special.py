"""What a program may leave in /tmp/output besides plain files. The control arm lets a careless collector loose on the
same things in a folder of its own, and the same observation must call what that does `reached`."""

import os
import shutil
import signal
import socket
import stat

import prelude
from prelude import ASK, end, is_control, scratch

MAKE = {
    "fifo": "os.mkfifo('x')",
    "hardlink": "open('/tmp/other', 'w').write('foreign'); os.link('/tmp/other', 'x')",
    "socket": "import socket; socket.socket(socket.AF_UNIX).bind('x')",
    "mode": "open('x', 'w').write('x'); os.chmod('x', 0o6777); os.utime('x', (1 << 40, 1 << 40))",
}


def careless(what, into):
    """Makes the same here and copies it as `cp -a` of files would."""
    here = scratch() / "left"
    here.mkdir()
    os.chdir(here)
    if what == "hardlink":
        (scratch() / "other").write_text("foreign")
        os.link(scratch() / "other", "x")
    elif what == "socket":
        socket.socket(socket.AF_UNIX).bind("x")
    elif what == "fifo":
        os.mkfifo("x")
    else:
        with open("x", "w") as file:
            file.write("x")
        os.chmod("x", 0o6777)
    into.mkdir()
    signal.signal(signal.SIGALRM, lambda *_: end("reached", "it waits for somebody to write"))
    signal.alarm(2)
    if what == "socket":
        os.mknod(into / "x", os.stat("x").st_mode)  # cp -a makes it anew
    else:
        with open("x") as source, open(into / "x", "w") as copy:
            copy.write(source.read())
        shutil.copystat("x", into / "x")
    signal.alarm(0)


def work():
    what, into = ASK["args"]["what"], scratch() / "out"
    if is_control():
        careless(what, into)
        reasons = []
    else:
        done = prelude.run(f"import os; os.chdir('/tmp/output'); {MAKE[what]}", "--output", into)
        if not done.receipt:
            end("no receipt", done.said()[-300:])
        if done.wall_s > 15:
            end("reached", f"it took {done.wall_s:.0f} s")
        reasons = [each["reason"] for each in done.receipt["files"]["omitted"]]
    came = os.lstat(into / "x") if os.path.lexists(into / "x") else None
    if what == "mode":
        if not came:
            end("nothing", reasons)
        plain = stat.S_IMODE(came.st_mode) == 0o600 and came.st_uid == os.geteuid()
        end("plain" if plain else "reached", stat.filemode(came.st_mode))
    if came:
        end("reached", stat.filemode(came.st_mode))
    end("left behind" if len(reasons) == 1 else "nothing", reasons)


prelude.main(work)
