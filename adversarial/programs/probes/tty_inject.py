# Types into a terminal that PyBox was started from.
import ctypes
import fcntl
import os
import select

TTY, TIOCSTI = ASK["world"]["tty"], 0x5412


def act():
    for letter in "echo pwned\n":
        fcntl.ioctl(TTY, TIOCSTI, letter.encode())
    ready, _, _ = select.select([TTY], [], [], 2)
    return os.read(TTY, 100).decode() if ready else ""


signature, proof = attempt(act)
if signature == "reached" and "pwned" not in proof:
    end("without effect", proof)
end(signature, proof)
