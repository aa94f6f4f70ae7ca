"""docs/house.svg shows the rooms and the includes as they are; its numbers may lag a tenth behind."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs"))

import drawing  # noqa: E402
import house  # noqa: E402

PICTURE = "docs/house.svg"
DRAWN = re.compile(r'<g id="([^"]+)" data-lines="(\d+)">')


def check(tree):
    now = house.read(tree)
    if not now.lines:
        return
    text = tree.files.get(PICTURE, "")
    drawn = {room: int(lines) for room, lines in DRAWN.findall(text)}
    if drawn.keys() != now.lines.keys() or text != drawing.picture(house.House(now.arrows, drawn)):
        yield f"{PICTURE} does not show the rooms and arrows as they are: run ci/docs/house"
        return
    for room, lines in sorted(now.lines.items()):
        if abs(lines - drawn[room]) > max(60, drawn[room] // 10):
            yield f"{PICTURE} gives {room} {drawn[room]} lines, and it has {lines}: run ci/docs/house"
            return


def _with_picture(files, changed=()):
    from tree import Tree

    return {**files, PICTURE: drawing.picture(house.read(Tree.of(files))), **dict(changed)}


_FILES = {"runtime/sys/a.cpp": '#include "base/a.hpp"\n', "runtime/base/a.hpp": "#pragma once\n",
          "reports/read/a.cpp": '#include "sys/a.hpp"\n#include "base/a.hpp"\n'}
SEEDED = {
    "no picture": _FILES,
    "a new arrow": _with_picture(_FILES, {"runtime/base/b.cpp": '#include "pypi/a.hpp"\n'}),
    "a new room": _with_picture(_FILES, {"runtime/pypi/b.cpp": "int x;\n"}),
    "a room that grew": _with_picture(_FILES, {"runtime/base/b.cpp": "int x;\n" * 61}),
    "drawn by hand": _with_picture(_FILES, {PICTURE: "<svg></svg>\n"}),
}
CLEAN = _with_picture(_FILES, {"runtime/base/b.cpp": "int x;\n" * 60, "runtime/base/b_test.cpp": "int x;\n" * 600})
