# Looks for a process outside the box. ask.how: "list" (its arguments, in /proc), "ask" (the kernel, by its number).
import os

PID = ASK["world"]["process"]


def from_proc():
    found = []  # other worlds may stand beside ours
    for name in os.listdir("/proc"):
        if not name.isdecimal() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().decode(errors="replace")
        except OSError:
            continue
        if ":process" in words:
            found.append(words)
    if not found:
        raise FileNotFoundError(2, "no such process")
    return found


def by_number():
    if PID == os.getpid() or os.getsid(PID) == os.getsid(0):
        raise ProcessLookupError(3, "one of the box's own")
    return [os.getpgid(PID), sorted(os.sched_getaffinity(PID))]


end(*attempt(from_proc if ASK["args"]["how"] == "list" else by_number))
