# Takes what needs a right over the whole machine, for this process alone. ask.what: "nice" (before all others),
# "oom" (never killed for memory), "limit" (a limit above its ceiling).
import os
import resource


def nice():
    os.setpriority(os.PRIO_PROCESS, 0, -5)
    return os.getpriority(os.PRIO_PROCESS, 0)


def oom():
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("-500")
    with open("/proc/self/oom_score_adj") as file:
        return int(file.read())


def limit():
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (2048, 2048))
    except ValueError as error:  # what Python makes of EPERM
        raise OSError(1, str(error))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[1]


act, wanted = {"nice": (nice, -5), "oom": (oom, -500), "limit": (limit, 2048)}[ASK["args"]["what"]]
signature, proof = attempt(act)
if signature == "reached" and proof != wanted:
    end("without effect", proof)
end(signature, proof)
