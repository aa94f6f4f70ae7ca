# Acts as uid 0 of the box, to which PyBox's own folders in it belong. ask.how: "be" (it already is), "set" (setuid).
import os


def act():
    if ASK["args"]["how"] == "set":
        os.setresgid(0, 0, 0)
        os.setresuid(0, 0, 0)
    os.chmod("/tmp/input", 0o755)
    with open("/tmp/input/made", "x") as file:
        file.write(ASK["nonce"])
    return [os.getresuid(), os.stat("/tmp/input/made").st_uid]


signature, proof = attempt(act)
if signature == "reached" and proof[1] != 0:
    end("without effect", proof)
end(signature, proof)
