"""Includes between the folders of runtime/ go one way (layers.txt)."""

import re

from tree import data_lines, line_of

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)


def _allowed():
    table = {}
    for line in data_lines("layers.txt"):
        folder, _, names = line.partition(":")
        table[folder.strip()] = set(names.split()) | {folder.strip()}
    return table


def check(tree):
    allowed = _allowed()
    for name, text in tree.matching("runtime/*/*.cpp", "runtime/*/*.hpp", "runtime/*/*.c", "runtime/*/*.h"):
        folder = name.split("/")[1]
        if folder not in allowed:
            yield f"{name}: folder '{folder}' is not in ci/lint/layers.txt"
            continue
        for match in INCLUDE.finditer(text):
            if match.group(1).endswith(".inc"):  # generated while building, beside no source
                continue
            target = match.group(1).split("/")[0] if "/" in match.group(1) else None
            where = f"{name}:{line_of(text, match.start())}"
            if target is None:
                yield f'{where}: include "{match.group(1)}" names no folder; write "{folder}/{match.group(1)}"'
            elif target not in allowed[folder]:
                yield f"{where}: {folder}/ may not include from {target}/ (ci/lint/layers.txt)"


SEEDED = {
    "upward": {"runtime/base/a.hpp": '#pragma once\n/// A.\n#include "cli/parser.hpp"\n'},
    "sideways": {"runtime/box/a.cpp": '#include "box/a.hpp"\n#include "watch/b.hpp"\n'},
    "no folder": {"runtime/box/a.cpp": '#include "a.hpp"\n'},
    "unknown folder": {"runtime/extra/a.cpp": "int x;\n"},
}
CLEAN = {
    "runtime/box/a.cpp": '#include "box/a.hpp"\n\n#include <string>\n\n#include "base/result.hpp"\n',
    "runtime/box/b.cpp": '#include "filter.inc"\n',
    "runtime/main.cpp": '#include "cli/parser.hpp"\n',
}
