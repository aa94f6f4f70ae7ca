# Reads where in the host's cgroups the box lies.
def paths(file):
    return [line.rstrip("\n").split(":", 2)[2] for line in file]


with open("/proc/self/cgroup") as file:
    seen = paths(file)
told = [path for path in seen if "pybox" in path]
end("reached" if told else "hidden", told or None, seen=sorted(set(seen)))
