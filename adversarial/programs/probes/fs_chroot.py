# Leaves a root as from a chroot: a folder held from before is above the new one.
import os


def leave():
    os.makedirs("/tmp/down", exist_ok=True)
    with open("/tmp/above", "w") as file:
        file.write(ASK["nonce"])
    above = os.open("/tmp", os.O_RDONLY)
    os.chroot("/tmp/down")
    if os.path.exists("/tmp"):
        end("without effect")
    os.fchdir(above)
    with open("above") as file:
        return file.read()


end(*attempt(leave))
