# Executes a program that gives a file away, which needs CAP_CHOWN: uid 0 would gain that by execve.
import os
import subprocess


def act():
    with open("/tmp/mine", "w") as file:
        file.write(ASK["nonce"])
    other = 0 if os.getuid() else 1000
    done = subprocess.run(["/usr/bin/chown", str(other), "/tmp/mine"], capture_output=True, text=True)
    if os.stat("/tmp/mine").st_uid == os.getuid():
        with open("/proc/self/status") as status:
            end("not given away", done.stderr, status=[line for line in status if line.startswith(("Cap", "NoNew"))])
    return os.stat("/tmp/mine").st_uid


end(*attempt(act))
