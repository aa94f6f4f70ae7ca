# Reads from every descriptor that the program was started with beyond 0, 1 and 2, and looks what they are.
import os
import stat

mine = os.open("/dev/null", os.O_RDONLY)  # the lowest free number: all below it came from outside
inherited = [fd for fd in map(int, os.listdir("/proc/self/fd")) if fd > 2 and fd != mine]
found = {}
for fd in inherited:
    try:
        info = os.fstat(fd)
    except OSError:
        continue  # the listing's own
    found[fd] = [stat.filemode(info.st_mode), attempt(os.pread, fd, 200, 0)[1]]
want = ASK["world"]["fd"]
if want in found and found[want][1]:
    end("reached", found[want][1].decode(), all=str(found)[:300])
end("absent" if not found else "others", str(found)[:300] or None)
