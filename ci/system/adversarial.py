"""Where the hostile programs and names lie: beside ci/ in the repository, beside these files in a guest."""

import pathlib

_HERE = pathlib.Path(__file__).resolve().parent
FOLDER = next((p for p in (_HERE.parent / "adversarial", _HERE.parent.parent / "adversarial") if p.is_dir()),
              _HERE.parent.parent / "adversarial")


def program(name):
    """The text of a hostile program."""
    return (FOLDER / "programs" / f"{name}.py").read_text(encoding="utf-8")


def names(name):
    return FOLDER / "names" / f"{name}.json"
