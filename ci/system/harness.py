"""The vocabulary of the black-box tests: run pybox, read its receipt, check by name.

A test is a function that takes a Probe and is registered with @test. It makes named checks; every
failed check is reported, and a test that made none fails. A timeout is a failure. A skip names what is
missing and must stand in ci/expected_skips.txt.
"""

import contextlib
import json
import os
import pathlib
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

import adversarial

sys.path.insert(0, str(adversarial.FOLDER / "frames"))

from pulse import Pulse  # noqa: E402, F401

ALL = ("native", "vm")
NATIVE = ("native",)
VM = ("vm",)
# A test that needs no engine at all: the command line, the documents.
NO_ENGINE = ("cli",)

# Patience for a run of pybox beyond the program's own limit: TCG is slow. What must be quick has a check of its own.
PATIENCE_S = 60
# A program's own limit where a test does not care; where programs are emulated, as much as `stdlib` allows.
ENOUGH, ENOUGH_S, ENOUGH_EMULATED_S = object(), 20, 29


class Skip(Exception):
    """Raised by Probe.skip; the text names what is missing."""


@dataclass
class Test:
    name: str
    run: callable
    engines: tuple
    timeout_s: int
    serial: bool
    apart: bool
    locks: tuple
    labels: tuple
    guest: bool

    def full_name(self, engine):
        return f"{engine}: {self.name}"


TESTS = []


def test(name, engines=ALL, timeout_s=120, serial=False, apart=False, locks=(), labels=(), guest=True):
    """Registers a test. `serial`: nothing else may run beside it: it compares times of a few milliseconds.
    `apart`: it looks at the whole host and must not see others' boxes: a native one runs in namespaces of its own
    (`apart`); on the vm engine the boxes are elsewhere and the clients are marked (host.Programs.of). `locks`: what only one test at a time may use; that of the vm engine is implied.
    `guest`: also run inside the VM, where cgroup v2 is (native engine only)."""

    def register(function):
        TESTS.append(Test(name, function, tuple(engines), timeout_s, serial, apart, tuple(locks), tuple(labels), guest))
        return function

    return register


@dataclass
class Run:
    """What one command did. `receipt` is None when it wrote none."""

    words: list
    exit: int
    out: bytes
    err: bytes
    wall_s: float
    receipt: dict | None = None

    @property
    def text(self):
        return self.out.decode("utf-8", "backslashreplace")

    @property
    def errors(self):
        return self.err.decode("utf-8", "backslashreplace")

    def get(self, path, default=None):
        """A value of the receipt by its dotted path; `default` when it is not there."""
        value = self.receipt
        for key in path.split("."):
            try:
                value = value[int(key)] if isinstance(value, list) else value[key]
            except (KeyError, IndexError, TypeError, ValueError):
                return default
        return value


@dataclass
class Setting:
    """Where the tests find what they test."""

    pybox: pathlib.Path
    home: pathlib.Path
    guest: bool = False  # these tests themselves run inside a VM


@dataclass(eq=False)
class Probe:
    """What a test function is given."""

    setting: Setting
    engine: str
    folder: pathlib.Path
    checks: int = 0
    failures: list = field(default_factory=list)
    extra_env: dict = field(default_factory=dict)
    home: pathlib.Path | None = None

    @property
    def slow(self):
        """Emulated (TCG): starting Python alone takes up to a second, more on busy cores, so a test that
        reads the clock must leave room or stretch its steps."""
        return self.engine == "vm" or self.setting.guest

    # ---- running -------------------------------------------------------------------------------

    def environment(self):
        """Nothing of the caller's environment reaches pybox but PATH: HOME and PATH must be enough."""
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        return {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(home),
            "PYBOX_HOME": str(self.home or self.setting.home),
            **({"PYBOX_VM_ACCELERATOR": os.environ["PYBOX_VM_ACCELERATOR"]}
               if "PYBOX_VM_ACCELERATOR" in os.environ else {}),
            **self.extra_env,
        }

    def pybox(self, *words, stdin=b"", patience_s=PATIENCE_S, env=None):
        """Runs pybox to its end."""
        words = [str(w) for w in words]
        began = time.monotonic()
        try:
            done = subprocess.run(
                [str(self.setting.pybox), *words],
                input=stdin if stdin is not None else None,
                stdin=subprocess.DEVNULL if stdin is None else None,
                capture_output=True, timeout=patience_s, env={**self.environment(), **(env or {})},
                cwd=self.folder,
            )
        except subprocess.TimeoutExpired as late:
            raise AssertionError(
                f"pybox {' '.join(words)[:200]} did not end within {patience_s} s; "
                f"stdout so far {(late.stdout or b'')[-300:]!r}, stderr {(late.stderr or b'')[-300:]!r}"
            ) from None
        return Run(words, done.returncode, done.stdout, done.stderr, time.monotonic() - began)

    def limit(self, limit_s):
        return limit_s if limit_s is not ENOUGH else ENOUGH_EMULATED_S if self.slow else ENOUGH_S

    def exec_words(self, *words, limit_s=ENOUGH, receipt=None):
        """The words of a `pybox exec` of this test's engine. limit_s None: pybox's own default."""
        limit_s = self.limit(limit_s)
        return ["exec", "--engine", self.engine, "--receipt", str(receipt or self.folder / "receipt.json"),
                *([] if limit_s is None else ["--timeout", str(limit_s)]), *[str(w) for w in words]]

    def exec(self, *words, limit_s=ENOUGH, stdin=b"", env=None, patience_s=None, receipt=None):
        """`pybox exec` with a receipt file, which is read back; runs at once need one each."""
        limit_s = self.limit(limit_s)
        receipt = receipt or self.folder / "receipt.json"
        receipt.unlink(missing_ok=True)
        run = self.pybox(*self.exec_words(*words, limit_s=limit_s, receipt=receipt), stdin=stdin, env=env,
                         patience_s=patience_s or (limit_s or 2) + PATIENCE_S)
        if receipt.exists():
            run.receipt = json.loads(receipt.read_bytes())
        return run

    def time_to_reach(self, code):
        """Seconds from the start of a run's clock to the end of this program: what the machine makes of it now."""
        run = self.exec("-c", code)
        self.ended(run, 0)
        return run.get("outcome.wall_s", 0)

    def start(self, *words, env=None, **options):
        """Starts pybox and leaves it running; the caller waits or kills. Killed at the test's end."""
        return subprocess.Popen(
            [str(self.setting.pybox), *[str(w) for w in words]], cwd=self.folder,
            env={**self.environment(), **(env or {})},
            **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})

    def file(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    @staticmethod
    def nonce():
        """A word nobody can guess: output that carries it was made by this very run."""
        return secrets.token_hex(8)

    # ---- checking ------------------------------------------------------------------------------

    def check(self, what, holds, detail=""):
        self.checks += 1
        if not holds:
            self.failures.append(f"{what}{': ' if detail else ''}{detail}")
        return holds

    def equal(self, what, got, wanted):
        return self.check(what, got == wanted, f"got {_short(got)}, wanted {_short(wanted)}")

    def within(self, what, got, low, high):
        fits = type(got) in (int, float) and low <= got <= high
        return self.check(what, fits, f"got {_short(got)}, wanted {low} to {high}")

    def has(self, what, text, part):
        return self.check(what, part in text, f"{_short(part)} is not in {_short(text)}")

    def soon(self, what, got, limit_s, pulse, low=0):
        """A time of at most limit_s, and on top what a pulse beside it was late for each of the few steps of an end."""
        return self.within(f"{what} (the host was up to {pulse.late:.3f} s late)", got, low, limit_s + 5 * pulse.late)

    def lacks(self, what, text, part):
        return self.check(what, part not in text, f"{_short(part)} is in {_short(text)}")

    def receipt(self, run, **wanted):
        """Checks fields of the receipt; a double underscore stands for the dot."""
        if not self.check("a receipt was written", run.receipt is not None, run.errors[-300:]):
            return
        for path, value in wanted.items():
            path = path.replace("__", ".")
            self.equal(path, run.get(path, "<absent>"), value)

    def ended(self, run, exit_code, observation="TARGET_EXIT_OBSERVED", cleanup="REMOVED"):
        """Exit code, observation and cleanup at once; every run on a sealed engine is verified."""
        self.check("exit code", run.exit == exit_code,
                   f"got {run.exit}, wanted {exit_code}; stderr …{run.errors[-400:]!r}")
        self.receipt(run, outcome__observation=observation, cleanup__status=cleanup)
        if observation != "NOT_STARTED":
            self.receipt(run, seal__verified=True, seal__before_start=True)

    def well(self, what, run):
        """A command that must succeed; one that did not says why."""
        return self.check(what, run.exit == 0, f"exit code {run.exit}; stderr …{run.errors[-600:]!r}")

    def until(self, what, condition, patience_s, every_s=0.02):
        """Waits for a condition of the host, at most patience_s; a condition that never holds fails."""
        end = time.monotonic() + patience_s
        while not condition():
            if time.monotonic() > end:
                return self.check(what, False, f"not within {patience_s} s")
            time.sleep(every_s)
        return self.check(what, True)

    def skip(self, missing):
        raise Skip(missing)


def _short(value):
    text = repr(value)
    return text if len(text) <= 400 else f"{text[:200]} … {text[-180:]}"


def remove(folder):
    """Removes a tree; of image trees an ordinary user must open the read-only folders first."""
    for inner, _, _ in os.walk(folder):
        with contextlib.suppress(OSError):  # another user's; removed below as far as may be
            os.chmod(inner, 0o700)
    shutil.rmtree(folder, ignore_errors=True)


def run_test(case, engine, setting):
    """Runs one test; returns ('passed' | 'failed' | 'skipped', lines)."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pybox-test-"))
    probe = Probe(setting, engine, folder)
    try:
        case.run(probe)
    except Skip as missing:
        return "skipped", [str(missing)]
    except AssertionError as failed:
        probe.failures.append(str(failed))
    except Exception as failed:  # a fault in the test itself must not look like a pass
        place = failed.__traceback__
        while place.tb_next:
            place = place.tb_next
        where = f"{os.path.basename(place.tb_frame.f_code.co_filename)}:{place.tb_lineno}"
        probe.failures.append(f"the test itself failed at {where}: {type(failed).__name__}: {failed}")
    finally:
        remove(folder)
    if not probe.failures and probe.checks == 0:
        return "failed", ["the test made no check"]
    return ("failed", probe.failures) if probe.failures else ("passed", [f"{probe.checks} checks"])
