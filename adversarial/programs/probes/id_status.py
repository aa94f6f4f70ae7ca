# Reads from every thread's status that execve gains nothing and that the filter is in force.
import os
import threading


def status(thread):
    with open(f"/proc/self/task/{thread}/status") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


done = threading.Event()
threads = [threading.Thread(target=done.wait) for _ in range(3)]
for thread in threads:
    thread.start()
seen = [[each["NoNewPrivs"], each["Seccomp"], each["Seccomp_filters"]] for each in map(status, os.listdir("/proc/self/task"))]
done.set()
without = [each for each in seen if each[0] != "1" or each[1] != "2" or int(each[2]) < 1]
end("reached" if without else "in force", without or None, threads=len(seen))
