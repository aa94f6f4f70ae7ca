"""Files stay within 300 lines (500 with a reason in budgets.txt), functions within 50."""

import re

from tree import data_lines

FILE_BUDGET = 300
FILE_HARD_LIMIT = 500
FUNCTION_BUDGET = 50

# clang-format puts a function of a namespace at column 0 and its end brace too.
OPENS = re.compile(r"^[A-Za-z_\[~].*\{\s*$")
NO_FUNCTION = re.compile(r"^(namespace|struct|class|enum|union|extern|static const|const|constexpr)\b")


def _long_functions(code):
    start, title = None, None
    lines = code.splitlines()
    for number, line in enumerate(lines, 1):
        if start is None and OPENS.match(line) and not NO_FUNCTION.match(line):
            start, title = number, line.strip()
        elif line.startswith("}"):
            if start is not None and number - start - 1 > FUNCTION_BUDGET:
                yield start, number - start - 1, title
            start = None


def check(tree):
    reasons = {line.split()[0]: line.split()[1:] for line in data_lines("budgets.txt")}
    for name, text in tree.matching("*.cpp", "*.hpp", "*.c", "*.h", "*.py", "*.sh", "ci/*"):
        count = text.count("\n")
        if name.endswith((".json", ".txt", ".md", ".cmake")):
            continue
        if count > FILE_HARD_LIMIT:
            yield f"{name}: {count} lines; no file is longer than {FILE_HARD_LIMIT}"
        elif count > FILE_BUDGET and not reasons.get(name):
            yield f"{name}: {count} lines, over {FILE_BUDGET}: one concept per file (or a reason in ci/lint/budgets.txt)"
        if name.endswith(".cpp") and not name.endswith("_test.cpp"):
            for line, length, title in _long_functions(tree.code(name)):
                yield f"{name}:{line}: function of {length} lines, over {FUNCTION_BUDGET}: {title[:60]}"


SEEDED = {
    "long file": {"runtime/box/a.cpp": "int x;\n" * 301},
    "endless file": {"ci/system/a.py": "x = 1\n" * 501},
    "long function": {"runtime/box/a.cpp": "int f() {\n" + "  g();\n" * 51 + "}\n"},
}
CLEAN = {
    "runtime/box/a.cpp": "namespace pybox {\n\nint f() {\n" + "  g();\n" * 50 + "}\n\n" + "int y;\n" * 60 + "}\n",
    "runtime/box/a_test.cpp": 'TEST_CASE("a") {\n' + "  g();\n" * 80 + "}\n",
}
