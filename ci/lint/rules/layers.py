"""Includes between the rooms of runtime/, campaign/, reports/ and replay/ go one way (layers.txt)."""

import re

from tree import data_lines, line_of

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
OUTSIDE = ("campaign", "reports", "replay")  # included by their place from the root
GENERATED = (".inc",)


def rooms():
    """Room to (what it may include, what its tests may include besides)."""
    table = {}
    for line in data_lines("layers.txt"):
        room, _, names = line.partition(":")
        usual, _, tests = names.partition("|")
        table[room.strip()] = (set(usual.split()) | {room.strip()}, set(tests.split()[1:]))
    return table


def room_of(path, rooms):
    """The room a file stands in: the longest name of the table that leads to it; else its first folder."""
    parts = path.split("/")[:-1]
    for length in range(len(parts), 0, -1):
        if "/".join(parts[:length]) in rooms:
            return "/".join(parts[:length])
    return "/".join(parts[:2] if parts and parts[0] in OUTSIDE else parts[:1])


def is_test(name):
    return name.endswith("_test.cpp") or "_for_tests." in name or "/testdata/" in name


def sources(tree):
    return tree.matching(*(f"{top}/{end}" for top in ("runtime/*", "campaign", "reports", "replay")
                           for end in ("*.cpp", "*.hpp")))


def check(tree):
    table = rooms()
    for name, text in sources(tree):
        place = name.removeprefix("runtime/")
        room = room_of(place, table)
        if not room or name == "campaign/main.cpp":
            continue
        if room not in table:
            yield f"{name}: the room '{room}' is not in ci/lint/layers.txt"
            continue
        usual, tests = table[room]
        allowed = usual | tests if is_test(name) else usual
        for match in INCLUDE.finditer(text):
            included = match.group(1)
            if included.endswith(GENERATED):
                continue
            where = f"{name}:{line_of(text, match.start())}"
            if "/" not in included:
                yield f'{where}: include "{included}" names no folder; write "{room}/{included}"'
            elif (target := room_of(included, table)) not in allowed:
                yield f"{where}: {room}/ may not include from {target}/ (ci/lint/layers.txt)"


SEEDED = {
    "upward": {"runtime/base/a.hpp": '#pragma once\n/// A.\n#include "cli/words/parser.hpp"\n'},
    "sideways": {"runtime/box/a.cpp": '#include "box/a.hpp"\n#include "watch/b.hpp"\n'},
    "between rooms of one folder": {"runtime/cli/terminal/a.cpp": '#include "cli/words/parser.hpp"\n'},
    "no folder": {"runtime/box/a.cpp": '#include "a.hpp"\n'},
    "unknown folder": {"runtime/extra/a.cpp": "int x;\n"},
    "library to replay": {"campaign/oracle/a.cpp": '#include "replay/keep/rejudge.hpp"\n'},
    "the verifier believes a reader": {"reports/verify/a.cpp": '#include "campaign/model/evidence.hpp"\n'},
    "only a test may": {"runtime/engine/a.cpp": '#include "store/registry.hpp"\n'},
}
CLEAN = {
    "runtime/box/a.cpp": '#include "box/a.hpp"\n\n#include <string>\n\n#include "base/result.hpp"\n',
    "runtime/box/b.cpp": '#include "filter.inc"\n',
    "runtime/main.cpp": '#include "cli/words/parser.hpp"\n',
    "runtime/engine/a_test.cpp": '#include "store/registry.hpp"\n',
    "campaign/cli/a.cpp": '#include "replay/keep/rejudge.hpp"\n',
}
