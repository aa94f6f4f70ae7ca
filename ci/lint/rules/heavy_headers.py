"""Heavy headers are included only in their home files (heavy_headers.txt)."""

import fnmatch
import re

from tree import data_lines, line_of

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.M)


def check(tree):
    homes = [(re.compile(line.split()[0]), line.split()[1:]) for line in data_lines("heavy_headers.txt")]
    for name, text in tree.matching("*.cpp", "*.hpp", "*.h", "*.c"):
        for match in INCLUDE.finditer(text):
            for header, files in homes:
                if header.fullmatch(match.group(1)) and not any(
                    fnmatch.fnmatchcase(name, f) for f in files
                ):
                    where = f"{name}:{line_of(text, match.start())}"
                    home = " ".join(f for f in files if f != "-") or "nowhere"
                    yield f"{where}: {match.group(1)} may be included only in: {home}"


SEEDED = {
    "json outside its home": {"runtime/cli/commands/exec.cpp": "#include <nlohmann/json.hpp>\n"},
    "crypto outside its home": {"runtime/vm/qmp.cpp": "#include <openssl/evp.h>\n"},
    "iostream": {"runtime/cli/terminal/terminal.cpp": "  #  include <iostream>\n"},
}
CLEAN = {
    "runtime/link/order_json.cpp": "#include <nlohmann/json.hpp>\n",
    "runtime/link/order.hpp": "#include <nlohmann/json_fwd.hpp>\n#include <fmt/core.h>\n",
}
