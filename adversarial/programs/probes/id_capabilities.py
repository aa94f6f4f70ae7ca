# Uses a capability: gives a file away, and reads which ones each thread holds.
import os
import threading


def held(thread):
    with open(f"/proc/self/task/{thread}/status") as status:
        return {line.split()[0][:-1]: line.split()[1] for line in status if line.startswith("Cap")}


def act():
    with open("/tmp/mine", "w") as file:
        file.write(ASK["nonce"])
    os.chown("/tmp/mine", 0, 0)
    return os.stat("/tmp/mine").st_uid


done = threading.Event()
threads = [threading.Thread(target=done.wait) for _ in range(3)]
for thread in threads:
    thread.start()
sets = {name: held(name) for name in os.listdir("/proc/self/task")}
done.set()
signature, proof = attempt(act)
some = any(int(value, 16) for each in sets.values() for value in each.values())
if signature == "reached" and (proof != 0 or not some):
    end("without effect", proof, sets=sets)
if signature != "reached" and some:
    end("held in part", None, sets=sets)
end(signature, proof, threads=len(sets))
