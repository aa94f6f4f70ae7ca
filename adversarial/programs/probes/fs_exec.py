# Executes a file that the program wrote itself. ask.how: "path" (/tmp, /tmp/output, /dev/shm), "memory" (a memory
# file), "library" (a shared library, loaded into this process).
import ctypes
import mmap
import os
import shutil
import subprocess

SOURCE = "/usr/bin/echo"


def run(path, **how):
    return subprocess.run([path, ASK["nonce"]], capture_output=True, text=True, check=True, **how).stdout.strip()


def from_path(folder):
    path = os.path.join(folder, "probe")
    shutil.copyfile(SOURCE, path)
    os.chmod(path, 0o755)
    return run(path)


def from_memory():
    fd = os.memfd_create("probe", 0x10)  # MFD_EXEC
    with open(SOURCE, "rb") as source:
        os.write(fd, source.read())
    return run(f"/proc/self/fd/{fd}", pass_fds=[fd])


def by_execveat():
    fd = os.memfd_create("probe", 0)
    with open(SOURCE, "rb") as source:
        os.write(fd, source.read())
    words = (ctypes.c_char_p * 3)(b"echo", ASK["nonce"].encode(), None)
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        os.dup2(writer, 1)
        try:
            syscall(322, fd, ctypes.c_char_p(b""), words, None, 0x1000)
        except OSError as error:
            os._exit(error.errno)
    os.close(writer)
    said = os.read(reader, 100).decode().strip()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if said != ASK["nonce"]:
        raise OSError(code, "execveat")
    return said


def library():
    name = next(n for n in sorted(os.listdir("/usr/lib/x86_64-linux-gnu")) if n.startswith("libz.so"))
    shutil.copyfile("/usr/lib/x86_64-linux-gnu/" + name, "/tmp/probe.so")
    with open("/tmp/probe.so", "rb") as file:  # the kernel's own word, which the loader does not pass on
        mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC).close()
    loaded = ctypes.CDLL("/tmp/probe.so")
    loaded.zlibVersion.restype = ctypes.c_char_p
    return loaded.zlibVersion().decode()


def first(*ways):
    seen = {}
    for name, act, arguments in ways:
        seen[name], proof = attempt(act, *arguments)
        if seen[name] == "reached":
            end("reached", proof, how=name)
    end(seen[ways[0][0]], None, seen=seen)


how = ASK["args"]["how"]
if how == "path":
    first(*[(folder, from_path, [folder]) for folder in ("/tmp", "/tmp/output", "/dev/shm")])
elif how == "memory":
    first(("memfd", from_memory, []), ("execveat", by_execveat, []))
else:
    end(*attempt(library))
