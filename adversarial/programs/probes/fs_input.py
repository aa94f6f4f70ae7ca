# Changes a file that the program was given.
import os

PATH = "/tmp/input/given.txt"


def change():
    with open(PATH, "a") as file:
        file.write(ASK["nonce"])
    with open(PATH) as file:
        return file.read()


def replace():
    with open("/tmp/other", "w") as file:
        file.write(ASK["nonce"])
    os.replace("/tmp/other", PATH)
    with open(PATH) as file:
        return file.read()


signature, proof = attempt(change)
if signature != "reached":
    replaced, proof = attempt(replace)
    signature = replaced if replaced == "reached" else signature
end(signature, proof)
