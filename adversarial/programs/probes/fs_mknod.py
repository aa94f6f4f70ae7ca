# Makes a node of the zero device and reads from it.
import os
import stat

PATH = "/tmp/node"


def read():
    os.mknod(PATH, 0o666 | stat.S_IFCHR, os.makedev(1, 5))
    try:
        with open(PATH, "rb") as node:
            return node.read(4).hex()
    except OSError as error:
        end("made, " + name_of(error.errno))


end(*attempt(read))
