"""The messages between an engine and boxd (runtime/link/frame.hpp), written a second time, and a boxd driven by
them: so that a driver decides which boxd makes the box, what is left out, and when the link ends."""

import hashlib
import json
import os
import pathlib
import secrets
import socket
import struct
import subprocess
import time

import prelude
from prelude import ASK

HELLO, RUN, STDIN, STOP = 1, 2, 3, 4
READY, OUTPUT, REPORT, FAILED, STDIN_TAKEN, STARTED = 32, 33, 34, 35, 37, 38


def fnv1a(data):
    value = 2166136261
    for byte in data:
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return value


def header(kind, run, head_size, body_size, magic=b"PBX1"):
    """Any sizes, so also those that no encoder would write."""
    raw = magic + bytes([kind, 0, 0, 0]) + struct.pack("<QIII", run, head_size, body_size, 0)
    return raw + struct.pack("<I", fnv1a(raw))


def encode(kind, run, head=b"{}", body=b""):
    if not isinstance(head, bytes):
        head = json.dumps(head).encode()
    return header(kind, run, len(head), len(body)) + head + body


class Reader:
    """Takes frames from bytes; trusts its boxd, which is our own."""

    def __init__(self):
        self.buffer = b""

    def feed(self, data):
        self.buffer += data
        frames = []
        while len(self.buffer) >= 32:
            kind = self.buffer[4]
            run, head, body = struct.unpack("<QII", self.buffer[8:24])
            if len(self.buffer) < 32 + head + body:
                break
            frames.append((kind, run, self.buffer[32:32 + head], self.buffer[32 + head:32 + head + body]))
            self.buffer = self.buffer[32 + head + body:]
        return frames


def order(code, home, limit_s, leave_out=(), when_orphaned="run_on", return_files=False):
    """(head, body) of a run of the image `stdlib`."""
    image = pathlib.Path(home, "images", "stdlib")
    text = code.encode()
    limits = {"memory_bytes": 128 << 20, "pids": 32, "cpu_millicores": 500, "stdout_bytes": 65536,
              "stderr_bytes": 65536, "tmp_bytes": 64 << 20, "tmp_inodes": 4096}
    return {
        "receipt_id": secrets.token_hex(12), "created_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "image_id": json.loads((image / "manifest.json").read_text())["id"], "rootfs": str((image / "rootfs").resolve()),
        "code_sha256": "sha256:" + hashlib.sha256(text).hexdigest(), "stream_output": True, "has_stdin": False,
        "leave_out": list(leave_out), "engine": "native", "image": "stdlib", "python": "3.13",
        "timeout_ns": int(limit_s * 1e9), "program_name": "main.py", "program_bytes": len(text), "args_base64": [],
        "inputs": [], "return_files": return_files, "cold": False, "when_orphaned": when_orphaned, "limits": limits,
    }, text


class Boxd:
    """A boxd of our own: the released one, or boxd-campaign when something is left out."""

    def __init__(self, home, leave_out=()):
        self.leave_out = list(leave_out)
        self.home = home
        self.reader = Reader()
        ours, theirs = socket.socketpair()
        self.link = ours
        words = [ASK["boxd_campaign"] if self.leave_out else ASK["boxd"], "--link", str(theirs.fileno()), "--state",
                 str(home)]
        self.process = subprocess.Popen(words, pass_fds=[theirs.fileno()], env={}, start_new_session=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        theirs.close()
        self.frames = []

    def run(self, code, limit_s, **options):
        head, body = order(code, self.home, limit_s, self.leave_out, **options)
        self.link.sendall(encode(RUN, 1, head, body))

    def wait_for(self, kind, patience_s=30):
        """The first frame of that kind, or None; a Failed frame ends the wait."""
        give_up = time.monotonic() + patience_s
        while time.monotonic() < give_up:
            for frame in self.frames:
                if frame[0] in (kind, FAILED):
                    return frame if frame[0] == kind else None
            self.link.settimeout(max(0.05, give_up - time.monotonic()))
            try:
                data = self.link.recv(1 << 20)
            except (TimeoutError, ConnectionError):
                return None
            if not data:
                return None
            self.frames += self.reader.feed(data)
        return None

    def failure(self):
        for kind, _, head, _ in self.frames:
            if kind == FAILED:
                return head.decode("utf-8", "replace")
            if kind == REPORT:
                return json.loads(head).get("failure")
        return "no answer"

    def kill(self):
        prelude.kill(self.process.pid)
        self.process.wait()

    def hang_up(self):
        self.link.close()
