# Takes hold of the mount that the root is, by the call that also clones and moves mounts.
import os

OPEN_TREE, HERE = 428, -100


def take():
    fd = syscall(OPEN_TREE, HERE, b"/", 0)
    return os.listdir(f"/proc/self/fd/{fd}")


signature, proof = attempt(take)
end(signature if proof is None or "usr" in proof else "another folder", proof)
