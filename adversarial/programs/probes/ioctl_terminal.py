# Makes the requests that type into a terminal or take one over, on a descriptor that is no terminal: a request
# that gets past the filter is answered by the file (ENOTTY).
import fcntl
import os

REQUESTS = {"TIOCSTI": 0x5412, "TIOCSCTTY": 0x540e, "TIOCLINUX": 0x541c, "TIOCCONS": 0x541d, "TIOCSETD": 0x5423,
            "TIOCNOTTY": 0x5422, "KDSKBENT": 0x4b47, "TIOCSTI with high bits": 0x1_0000_5412}
fd = os.open("/dev/null", os.O_RDONLY)
answers = {}
for name, request in REQUESTS.items():
    try:
        syscall(16, fd, request, 0)
        answers[name] = "worked"
    except OSError as error:
        answers[name] = name_of(error.errno)
came_through = {name: said for name, said in answers.items() if said != "EPERM"}
end("reached" if came_through else "EPERM", came_through, answers=answers)
