"""A header starts with `#pragma once`, then a `///` sentence that says what it is for."""


def check(tree):
    for name, text in tree.matching("*.hpp", "*.h"):
        lines = text.splitlines()
        if not lines or lines[0].strip() != "#pragma once":
            yield f"{name}:1: the first line must be '#pragma once'"
        elif len(lines) < 2 or not lines[1].startswith("/// ") or len(lines[1]) < 12:
            yield f"{name}:2: after '#pragma once' comes a '///' sentence saying what the header is for"


SEEDED = {
    "guard": {"runtime/base/a.hpp": "#ifndef A\n/// What this is for.\n"},
    "no sentence": {"runtime/base/a.hpp": "#pragma once\n\n#include <string>\n"},
    "empty sentence": {"runtime/base/a.hpp": "#pragma once\n/// A.\n"},
}
CLEAN = {"runtime/base/a.hpp": "#pragma once\n/// Owns a thing and closes it.\n\n#include <string>\n"}
