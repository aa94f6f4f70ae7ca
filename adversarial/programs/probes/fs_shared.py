# Writes a file and waits for answers in it. Outside, somebody looks for that file at the root of every process, again
# and again: the canary is the answer where a process outside the box has it, "looked" the end of a round. A whole
# round lies between two of those.
import os
import time

knock = ASK["world"]["knock"]
with open(knock, "w") as file:
    file.write(ASK["nonce"] + "\n")
os.chmod(knock, 0o666)

until = time.monotonic() + 15
while time.monotonic() < until:
    with open(knock) as file:
        lines = file.read().splitlines()[1:]
    for line in lines:
        if line != "looked":
            end("reached", line)
    if len(lines) >= 2:
        end("unseen", rounds=len(lines))
    time.sleep(0.05)
end("nobody-looked")
