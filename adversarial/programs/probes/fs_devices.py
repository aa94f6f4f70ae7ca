# Looks for a device in /dev that is none of the five, and opens those that would matter.
import os
import stat

FIVE = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9)}
WORSE = ["mem", "kmem", "port", "kmsg", "kvm", "fuse", "vsock", "vhost-vsock", "net/tun", "loop-control", "mapper/control",
         "tty", "ptmx", "vda", "sda", "hwrng", "uinput"]

extra = []
for folder, _, names in os.walk("/dev"):
    for name in names:
        info = os.lstat(os.path.join(folder, name))
        if stat.S_ISLNK(info.st_mode):
            continue
        number = (os.major(info.st_rdev), os.minor(info.st_rdev))
        if not stat.S_ISCHR(info.st_mode) or FIVE.get(name) != number:
            extra.append([name, oct(info.st_mode), *number])
seen = {name: attempt(lambda: os.close(os.open("/dev/" + name, os.O_RDONLY | os.O_NONBLOCK)))[0] for name in WORSE}
opened = [name for name, signature in seen.items() if signature == "reached"]
if extra or opened:
    end("reached", extra, opened=opened)
end(seen["kmsg"], None, seen=seen)
