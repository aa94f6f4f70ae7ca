"""What a call of an agent costs: `run_python` with a trivial program, server and native engine warm, beside the bare
interpreter of the same image; paired and interleaved. Also what a fresh server needs until it has listed its tools.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

import contenders
from statistics_of_pairs import paired_median, percentile

CODE = "pass"
# The server's own limit on the calls of one session is lifted for the measurement.
MANY = "100000"


class Server:
    """One session of `pybox mcp` on the native engine."""

    def __init__(self, pybox, home):
        words = [str(pybox), "mcp", "--engine", "native", "--max-timeout", "20", "--max-calls", MANY, "--max-messages", MANY]
        env = {"HOME": str(home), "PATH": os.environ["PATH"], "PYBOX_HOME": str(home)}
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        self.number = 0

    def ask(self, method, params):
        self.number += 1
        line = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if answer.get("id") != self.number or "result" not in answer:
            raise SystemExit(f"error: the server answered {json.dumps(answer)[:300]}")
        return answer["result"]

    def greet(self):
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                "clientInfo": {"name": "bench", "version": "1"}})
        self.process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def call(self):
        result = self.ask("tools/call", {"name": "run_python", "arguments": {"code": CODE}})
        if result.get("isError"):
            raise SystemExit(f"error: a call failed: {json.dumps(result)[:300]}")

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=10)


def milliseconds(work):
    began = time.monotonic()
    work()
    return (time.monotonic() - began) * 1000


def listed(pybox, home):
    server = Server(pybox, home)
    server.greet()
    server.ask("tools/list", {})
    return server


def run_bare(bare):
    pid = os.fork()
    if pid == 0:
        bare.become(CODE)
    if os.waitpid(pid, 0)[1] != 0:
        raise SystemExit("error: the bare interpreter failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pybox", required=True, type=pathlib.Path)
    parser.add_argument("--home", required=True, type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    bare = contenders.Bare(options.home / "images/stdlib/rootfs")
    samples = {"bare python3 -I": [], "run_python": [], "start to tools/list": []}
    server = listed(options.pybox, options.home)
    for _ in range(5):
        server.call()
        run_bare(bare)
    for round_number in range(options.runs):
        pair = [("bare python3 -I", lambda: run_bare(bare)), ("run_python", server.call)]
        for name, work in pair if round_number % 2 else reversed(pair):
            samples[name].append(milliseconds(work))
        fresh = []
        samples["start to tools/list"].append(milliseconds(lambda: fresh.append(listed(options.pybox, options.home))))
        fresh[0].end()
    server.end()
    floor = samples["bare python3 -I"]
    print(f"{'':22}{'p50':>8}{'p95':>8}{'p99':>8}  of {options.runs}, in ms")
    for name, values in samples.items():
        print(f"{name:22}" + "".join(f"{percentile(values, p):8.2f}" for p in (50, 95, 99)))
    median, low, high = paired_median(samples["run_python"], floor, options.seed)
    ratio = percentile(samples["run_python"], 50) / percentile(floor, 50)
    print(f"run_python is {ratio:.2f} times the bare interpreter, +{median:.2f} ms [{low:.2f}, {high:.2f}]")
    if options.json:
        options.json.write_text(json.dumps({"milliseconds": samples, "ratio": ratio}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
