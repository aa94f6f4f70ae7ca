"""The released pybox and boxd hold nothing of what only test builds may: crash points, and the switch that
leaves a protection out. The control looks for the same in the builds that must hold it."""

import pathlib

import prelude
from prelude import ASK, end, is_control

NEEDLES = {
    "crash points": {"pybox": [b"--list-crashpoints"], "boxd": [b"crash point %s struck"]},
    "cuts": {"boxd": [b"inject-fault", b"cloning the keeper"]},
}


def holders(what):
    """The programs to search, with what is searched in each."""
    beside = pathlib.Path(ASK["pybox"]).resolve().parent
    released = {"pybox": pathlib.Path(ASK["pybox"]), "boxd": pathlib.Path(ASK["boxd"])}
    tests = {"pybox": beside / "crash" / "pybox",
             "boxd": beside / "crash" / "boxd" if what == "crash points" else pathlib.Path(ASK["boxd_campaign"])}
    programs = tests if is_control() else released
    return [(programs[name], needle) for name, needles in NEEDLES[what].items() for needle in needles]


def work():
    found = []
    searched = holders(ASK["args"]["what"])
    for program, needle in searched:
        if not program.exists():
            prelude.unmet(f"{program} was not built")
        if needle in program.read_bytes():
            found.append(program.name)
    if is_control() and len(found) < len(searched):
        end("unnoticed", found=found)
    end("reached" if found else "absent", found=found)


prelude.main(work)
