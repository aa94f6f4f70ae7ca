"""Times `print(1)` in fresh boxes: pybox, bubblewrap and the bare interpreter, paired and interleaved.

Each round runs every contender once, in an order shuffled by a recorded seed, with the same think time
before each. Before anything is timed, each contender proves that it prints the right thing and that its
protections are on. Failures are data: a wrong output ends the comparison.
"""

import argparse
import hashlib
import json
import os
import pathlib
import platform
import random
import sys
import time

import contenders
from statistics_of_pairs import paired_median, percentile

HERE = pathlib.Path(__file__).resolve().parent
CODE = "print(1)"

# Prints what holds around it; read by verify().
PROBE = """
import os, re, socket
status = open('/proc/self/status').read()
field = lambda k: re.search(r'^%s:\\s*(\\S+)' % k, status, re.M).group(1)
def denied(attempt):
    try: attempt()
    except OSError: return True
    return False
print(int(os.getuid() != 0), int(field('CapBnd') == '0000000000000000' or field('CapEff') == '0000000000000000'),
      field('NoNewPrivs'), field('Seccomp'), int(denied(lambda: open('/usr/x', 'w'))), int(os.getpid() < 20),
      int(denied(lambda: socket.socket(16, 3))),
      int(denied(lambda: socket.create_connection(('192.0.2.1', 80), 1))))
"""
FACTS = ("not root", "no capabilities", "no new privileges", "syscall filter", "read-only root", "own processes",
         "no netlink", "no network")
# More tasks than the limit allows: a limit that is on refuses some.
LIMIT_PROBE = """
import threading, time
try:
    for _ in range(60): threading.Thread(target=time.sleep, args=(.5,), daemon=True).start()
    print('unlimited')
except RuntimeError: print('limited')
"""


def run_once(contender, code, think_s=0.0):
    """(seconds from before the fork to after the reaping and tidying, stdout, status)."""
    if think_s:
        time.sleep(think_s)
    reader, writer = os.pipe()
    began = time.monotonic_ns()
    contender.prepare()
    child = os.fork()
    if child == 0:
        try:
            os.dup2(writer, 1)
            contender.become(code)
        except BaseException as error:
            os.write(2, f"{contender.name}: {error}\n".encode())
        os._exit(127)
    os.close(writer)
    output = b""
    while piece := os.read(reader, 65536):
        output += piece
    _, status = os.waitpid(child, 0)
    contender.finish()
    ended = time.monotonic_ns()
    os.close(reader)
    return (ended - began) / 1e9, output.decode(), os.waitstatus_to_exitcode(status)


def verify(contender, sealed, limited):
    """Ends the comparison unless the output is right and every protection that should be on is on."""
    _, output, status = run_once(contender, CODE)
    if output != "1\n" or status != 0:
        sys.exit(f"error: {contender.name}: print(1) gave {output!r}, status {status}")
    if sealed:
        _, output, status = run_once(contender, PROBE)
        missing = [fact for fact, held in zip(FACTS, output.split()) if held not in ("1", "2")]
        if status != 0 or missing or len(output.split()) != len(FACTS):
            sys.exit(f"error: {contender.name}: {missing or output or status} do not hold")
    if limited:
        _, output, _ = run_once(contender, LIMIT_PROBE)
        if output != "limited\n":
            sys.exit(f"error: {contender.name}: the limit of processes is not on ({output!r})")


def measure(field, runs, think_s, seed):
    samples = {contender.name: [] for contender in field}
    order = random.Random(seed)
    for contender in field:  # a warm-up round that is not kept
        run_once(contender, CODE)
    for number in range(runs):
        for contender in order.sample(field, len(field)):
            seconds, output, status = run_once(contender, CODE, think_s)
            if status != 0 or output not in ("1\n", ""):
                sys.exit(f"error: round {number}: {contender.name} gave {output!r}, status {status}")
            samples[contender.name].append(seconds)
    return samples


def print_table(samples, floor, runs, think_ms, seed):
    print(f"\n{runs} rounds, {think_ms} ms think time, times in ms")
    print(f"{'':38} {'p50':>8} {'p95':>8} {'p99':>8} {'max':>8}   added (median of pairs, 95 % interval)")
    added = {}
    for name, values in samples.items():
        row = " ".join(f"{percentile(values, p) * 1000:8.2f}" for p in (50, 95, 99, 100))
        if name == floor:
            print(f"{name:38} {row}   -")
            continue
        middle, low, high = (x * 1000 for x in paired_median(values, samples[floor], seed))
        added[name] = middle
        print(f"{name:38} {row}   {middle:+.2f}  [{low:+.2f}, {high:+.2f}]")
    return added


def comparison(middle, low, high):
    """What the difference of pairs shows, and only as much as its interval does."""
    shown = "pybox is below" if high < 0 else "pybox is above" if low > 0 else "no difference shown"
    return f"pybox minus bwrap {middle:+.2f} [{low:+.2f}, {high:+.2f}]: {shown}"


def environment():
    def read(path):
        try:
            return pathlib.Path(path).read_text().strip()
        except OSError:
            return None

    digest = hashlib.sha256()
    for path in sorted(HERE.glob("*.py")):
        digest.update(path.read_bytes())
    return {"kernel": platform.release(), "cpus": os.cpu_count(), "load": os.getloadavg(),
            "cgroup": "v2" if (contenders.V2 / "cgroup.controllers").exists() else "v1",
            "governor": read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            "harness_sha256": digest.hexdigest()}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--pybox", type=pathlib.Path, required=True)
    parser.add_argument("--home", type=pathlib.Path, required=True)
    parser.add_argument("--filter", type=pathlib.Path, required=True)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--think", default="0,10,100", help="milliseconds before each run, several by commas")
    parser.add_argument("--seed", type=int, default=20261129)
    parser.add_argument("--json", type=pathlib.Path, default=pathlib.Path("build/bench.json"))
    options = parser.parse_args()
    rootfs = (options.home / "images/stdlib/rootfs").resolve()
    program = contenders.compiled_filter(options.filter)
    bare = contenders.Bare(rootfs)
    pybox = contenders.Pybox(options.pybox.resolve(), options.home.resolve())
    bwrap = contenders.Bubblewrap(rootfs, program)
    limited = contenders.BubblewrapLimited(rootfs, program)
    field = [bare, pybox, bwrap, limited, contenders.CgroupAlone()]
    for contender, sealed, limits in ((bare, False, False), (pybox, True, True), (bwrap, True, False), (limited, True, True)):
        verify(contender, sealed, limits)
    print("verified: each prints the right thing; pybox and bwrap: " + ", ".join(FACTS))
    record = {"schema_version": 1, "environment": environment(), "seed": options.seed, "code": CODE, "series": []}
    verdict = []
    for think_ms in (int(word) for word in options.think.split(",")):
        samples = measure(field, options.runs, think_ms / 1000, options.seed)
        added = print_table(samples, bare.name, options.runs, think_ms, options.seed)
        record["series"].append({"think_ms": think_ms, "samples_s": samples})
        between = [x * 1000 for x in paired_median(samples[pybox.name], samples[limited.name], options.seed)]
        verdict.append(f"think {think_ms} ms: pybox adds {added[pybox.name]:.2f} ms, bwrap with equal isolation "
                       f"{added[limited.name]:.2f} ms; {comparison(*between)}")
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(record, indent=1))
    print("\n" + "\n".join(verdict) + f"\nraw samples: {options.json}")


if __name__ == "__main__":
    main()
