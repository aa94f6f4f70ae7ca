# Makes a child die in a way that leaves a core file, after trying to raise what limits it.
import os
import resource
import signal


def dump():
    os.makedirs("/tmp/dump")
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, max(hard, 1 << 20) if hard != -1 else -1))
    except (ValueError, OSError):
        pass
    if (child := os.fork()) == 0:
        os.chdir("/tmp/dump")
        os.kill(os.getpid(), signal.SIGSEGV)
        os._exit(0)
    return os.waitpid(child, 0)[1]


signature, status = attempt(dump)
files = os.listdir("/tmp/dump")
if files:
    with open("/tmp/dump/" + files[0], "rb") as core:
        end("reached", [files[0], core.read(4).hex()], status=status)
end("no file", None, status=status, limit=resource.getrlimit(resource.RLIMIT_CORE))
