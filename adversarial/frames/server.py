"""One MCP server as a child process: bytes in, timed lines out, and what the host shows of it."""

import ctypes
import fcntl
import json
import os
import pty
import signal
import socket
import subprocess
import tempfile
import threading
import time

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def adopt_orphans():
    """From here on what a dead server leaves running becomes our child, where it can be seen."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _stat(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            text = file.read()
    except OSError:
        return None
    return text[text.rindex(")") + 2:].split()


def descendants(root):
    """Processes below `root`. A zombie is one too: whoever started it has still to reap it."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit() and (fields := _stat(entry)):
            parents.setdefault(int(fields[1]), []).append(int(entry))
    found, queue = [], [root]
    while queue:
        for child in parents.get(queue.pop(), []):
            found.append(child)
            queue.append(child)
    return found


class Line:
    def __init__(self, raw, at):
        self.raw, self.at = raw, at

    def json(self):
        return json.loads(self.raw)


class Server:
    """`stdin` is one of the kinds a client may give: pipe, nonblocking, socket, terminal, file, null,
    closed. `reading` False leaves stdout and stderr unread from the start."""

    def __init__(self, words, env, stdin="pipe", preload=b"", reading=True, full_stderr=False, close=()):
        self.lines, self.errors, self.answered = [], b"", {}
        self.kind = stdin
        self.ended_at = None
        theirs_in, self.fd_in = self._stdin(stdin, preload)
        out_read, out_write = os.pipe()
        err_read, err_write = os.pipe()
        if full_stderr:
            os.set_blocking(err_write, False)
            try:
                while True:
                    os.write(err_write, b"x" * 4096)
            except BlockingIOError:
                os.set_blocking(err_write, True)

        def close_some():
            for fd in close:
                os.close(fd)

        self.process = subprocess.Popen(words, env=env, stdin=theirs_in, stdout=out_write, stderr=err_write,
                                        preexec_fn=close_some if close else None)
        for fd in (theirs_in, out_write, err_write):
            if fd >= 0:
                os.close(fd)
        self.out, self.err = out_read, err_read
        self.full_stderr = full_stderr
        self.condition = threading.Condition()
        self.reader = None
        if not full_stderr:
            threading.Thread(target=self._read_errors, daemon=True).start()
        if reading:
            self.read()

    @staticmethod
    def _stdin(kind, preload):
        if kind in ("null", "closed"):
            return os.open("/dev/null", os.O_RDONLY), None
        if kind == "file":
            file, path = tempfile.mkstemp()
            os.write(file, preload)
            os.lseek(file, 0, os.SEEK_SET)
            os.unlink(path)
            return file, None
        if kind == "socket":
            ours, theirs = socket.socketpair()
            return theirs.detach(), ours.detach()
        if kind == "terminal":
            ours, theirs = pty.openpty()
            import tty
            tty.setraw(theirs)
            return theirs, ours
        theirs, ours = os.pipe()
        if kind == "nonblocking":
            os.set_blocking(theirs, False)
        fcntl.fcntl(ours, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
        return theirs, ours

    # ---- in ------------------------------------------------------------------------------------

    def send(self, data):
        """All bytes; a server that is gone takes none."""
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self.fd_in, view[: 1 << 20]):]
        except (BrokenPipeError, OSError):
            return False
        return True

    def end_input(self):
        if self.fd_in is not None:
            os.close(self.fd_in)
            self.fd_in = None
        self.ended_at = time.monotonic()

    def signal(self, number):
        self.ended_at = time.monotonic()
        self.process.send_signal(number)

    # ---- out -----------------------------------------------------------------------------------

    def read(self):
        self.reader = threading.Thread(target=self._read_lines, daemon=True)
        self.reader.start()

    def _read_lines(self):
        rest = b""
        while True:
            try:
                chunk = os.read(self.out, 1 << 16)
            except OSError:
                chunk = b""
            if not chunk:
                break
            rest += chunk
            *whole, rest = rest.split(b"\n")
            with self.condition:
                for raw in whole:
                    self.lines.append(Line(raw, time.monotonic()))
                    self._note(raw)
                self.condition.notify_all()
        with self.condition:
            if rest:
                self.lines.append(Line(rest + b" <no newline>", time.monotonic()))
            self.condition.notify_all()

    def _read_errors(self):
        while True:
            try:
                chunk = os.read(self.err, 1 << 16)
            except OSError:
                return
            if not chunk:
                return
            self.errors += chunk

    def close_output(self):
        """The client goes without a word. Only where nobody reads yet."""
        os.close(self.out)
        self.ended_at = time.monotonic()

    def answers(self):
        """{id as JSON text: [message, …]}, also of messages in a batch; None for id-less errors."""
        return self.answered

    def _note(self, raw):
        try:
            value = json.loads(raw)
        except ValueError:
            return
        for message in value if isinstance(value, list) else [value]:
            if isinstance(message, dict) and "method" not in message:
                key = json.dumps(message["id"]) if "id" in message else None
                self.answered.setdefault(key, []).append(message)

    def wait_for(self, condition, patience_s):
        end = time.monotonic() + patience_s
        with self.condition:
            while not condition():
                left = end - time.monotonic()
                if left <= 0:
                    return False
                self.condition.wait(min(left, 0.05))
        return True

    def wait_answer(self, key, patience_s, count=1):
        return self.wait_for(lambda: len(self.answers().get(key, [])) >= count, patience_s)

    def wait_end(self, patience_s):
        """(exit code, seconds since the input ended), or None: it still runs."""
        try:
            code = self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            return None
        took = time.monotonic() - (self.ended_at or time.monotonic())
        if self.reader:
            self.reader.join(2)
        return code, took

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.fd_in is not None:
            os.close(self.fd_in)
            self.fd_in = None

    # ---- what the host shows -------------------------------------------------------------------

    def resources(self):
        """Descriptors, threads, children, resident KiB of the living server."""
        pid = self.process.pid
        status = dict(line.split(":", 1) for line in open(f"/proc/{pid}/status").read().splitlines() if ":" in line)
        return {
            "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
            "threads": int(status["Threads"]),
            "children": len(descendants(pid)),
            "resident_kib": int(status["VmRSS"].split()[0]),
        }


SIGNALS = {name: getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGKILL")}
