# Reads a file of root's through the root folder of a process outside.
WORLD = ASK["world"]


def read():
    with open(f"/proc/{WORLD['process']}/root{WORLD['file_root']}") as file:
        return file.read()


end(*attempt(read))
