"""The folder of the VM's socket stood there before it, made by somebody else: as a link to elsewhere, as another user's,
open to everybody. A start must refuse it and put nothing there. The control arm puts a socket there as a program
that only asks whether there is such a folder would."""

import os
import socket
import stat

import prelude
from prelude import ASK, end, is_control, scratch


def as_link(run, elsewhere):
    run.symlink_to(elsewhere)


def as_others(run, _):
    run.mkdir(mode=0o700)
    os.chown(run, 65534, 65534)


def as_open(run, _):
    run.mkdir()
    run.chmod(0o777)


def trusting_start(run):
    if run.is_dir():
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(run / "vm.sock"))
        listener.close()


def look(make):
    """What stands in the folder after a start; None: the start went on without anything there."""
    home = prelude.own_home(f"home-{make.__name__}")
    run, elsewhere = home / "run", scratch() / f"elsewhere-{make.__name__}"
    elsewhere.mkdir()
    make(run, elsewhere)
    if is_control():
        trusting_start(run)
        exit_code = 0
    else:
        started = prelude.pybox("vm", "start", home=home, patience_s=240)
        exit_code = started.exit
        prelude.pybox("vm", "stop", home=home)
    closed = stat.S_IMODE(os.stat(run).st_mode) == 0o700 and os.stat(run).st_uid == os.geteuid() and not run.is_symlink()
    found = [f"{make.__name__}: {name} was put there" for name in sorted(os.listdir(run))]
    if exit_code == 0 and not closed:
        found.append(f"{make.__name__}: the start went on")
    return found


def work():
    if os.geteuid() != 0:
        prelude.unmet("another user's folder needs root")
    found = {make.__name__: look(make) for make in (as_link, as_others, as_open)}
    wrong = [what for each in found.values() for what in each]
    if is_control():
        missed = [name for name, what in found.items() if not what]
        end("unnoticed" if missed else "reached", wrong[0] if wrong else None, found=wrong, missed=missed)
    end("reached" if wrong else "refused", wrong[0] if wrong else None, found=wrong)


prelude.main(work, isolated=True)
