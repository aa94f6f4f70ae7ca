# Gives the machine another name, as far as the box sees one.
import os


def act():
    syscall(170, ASK["nonce"].encode(), len(ASK["nonce"]))
    return os.uname().nodename


signature, proof = attempt(act)
if signature == "reached" and proof != ASK["nonce"]:
    end("without effect", proof)
end(signature, proof)
