"""What a hostile boxd may say. Run as the `boxd` beside a pybox (native), and told line by line to a guest whose
first process is campaign-hostile (vm). One case a run; the native one is named by the program's text.

A case is a list of ("frame", type, head, body, times), ("raw", bytes, times), ("console", bytes, times).
"""

import base64
import json

import link

STARTED_HEAD = json.dumps({"verified": True, "before_start": True, "checks": []}).encode()
REPORT_HEAD = json.dumps({"outcome": {}}).encode()
STARTED = ("frame", link.STARTED, STARTED_HEAD, b"", 1)
# A report in its name; so that whoever waits is told something at last.
FAILED = ("frame", link.FAILED, b'{"message":"over","hint":"","refused":false}', b"", 1)
# Where a link that ended is the only way on.
CUT_SHORT = {
    "nothing": [],
    "truncated": [("raw", link.encode(link.REPORT, 1, REPORT_HEAD)[:40], 1)],
    "half-header": [("raw", link.header(link.REPORT, 1, 10, 0)[:17], 1)],
    "largest-announced": [("raw", link.header(link.REPORT, 1, 1 << 20, 24 << 20) + b"x" * 1000, 1)],
}
CASES = {
    "huge-length": [("raw", link.header(link.REPORT, 1, 0xFFFFFFFF, 0xFFFFFFFF) + b"x" * 1000, 1)],
    "unknown-types": [("frame", kind, b"{}", b"", 1) for kind in range(100, 256)],
    "client-types": [("frame", kind, b"{}", b"x", 1) for kind in range(0, 32)],
    "supervisor-types": [("frame", kind, head, b"", 1) for kind in (36, 39, 64, 65, 66) for head in (b"{}", b"\xff")],
    "other-runs": [("raw", link.encode(link.REPORT, run, REPORT_HEAD), 1) for run in (0, 1 << 20, 1 << 63)],
    "twice-started": [(*STARTED[:4], 1000)],
    "report-without-start": [("frame", link.REPORT, REPORT_HEAD, b"", 1)],
    "two-reports": [("frame", link.REPORT, REPORT_HEAD, b"", 2)],
    "bad-utf8": [("frame", link.STARTED, b'{"verified":"\xff\xfe\xc0"}', b"", 1)],
    "deep-json": [("frame", link.STARTED, b"[" * 100_000 + b"]" * 100_000, b"", 1)],
    "no-json": [("frame", link.STARTED, b"\0" * 5000, b"", 1)],
    "wrong-kinds": [("frame", link.STARTED, b'{"verified":7,"checks":{"a":[]}}', b"", 1)],
    "bad-stream": [STARTED, ("frame", link.OUTPUT, b'{"stream":99}', b"x", 1)],
    "stdin-debt": [STARTED, ("frame", link.STDIN_TAKEN, json.dumps({"bytes": (1 << 64) - 1}).encode(), b"", 1)],
    "escapes": [("frame", link.FAILED, json.dumps({"message": "\x1b]0;owned\x07\x1b[2J\u202e", "hint": "\x9b31m",
                                                   "refused": True}).encode(), b"", 1)],
    "garbage": [("raw", bytes(range(256)) * 8, 1000)],
    "magics": [("raw", b"PBX1" * 1000, 500)],
    "output-flood": [STARTED, ("frame", link.OUTPUT, b'{"stream":1}', b"y" * 100, 100_000)],
    "frame-flood": [("frame", 99, b"{}", b"", 200_000)],
}


def written(case):
    """The bytes of a native case; its run has the number 1."""
    for kind, *rest in case:
        if kind == "frame":
            type_, head, body, times = rest
            yield link.encode(type_, 1, head, body) * times
        elif kind == "raw":
            yield rest[0] * rest[1]


def told(case):
    """The lines for campaign-hostile."""
    def text(data):
        return base64.b64encode(data).decode() or "-"

    lines = ["#hostile"]
    for kind, *rest in case:
        if kind == "frame":
            lines.append(f"frame {rest[0]} {text(rest[1])} {text(rest[2])} {rest[3]}")
        elif kind == "end":
            lines.append("end")
        else:
            lines.append(f"{kind} {text(rest[0])} {rest[1]}")
    return "\n".join(lines) + "\n"


def be_boxd(argv):
    """--link FD --state HOME"""
    import socket
    peer = socket.socket(fileno=int(argv[argv.index("--link") + 1]))
    reader, frames = link.Reader(), []
    while not frames:
        data = peer.recv(1 << 20)
        if not data:
            return
        frames = reader.feed(data)
    size = json.loads(frames[0][2])["program_bytes"]
    name = frames[0][3][:size].decode().strip().lstrip("#")
    try:
        for part in written({**CASES, **CUT_SHORT}[name]):
            peer.sendall(part)
    except OSError:
        pass


if __name__ == "__main__":
    import sys
    be_boxd(sys.argv)
