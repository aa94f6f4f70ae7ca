"""Words and calls that do not belong in the code (banned.txt says why for each)."""

import fnmatch
import re

from tree import data_lines, line_of


def _rules():
    for line in data_lines("banned.txt"):
        pattern, files, excepted, reason = (part.strip() for part in re.split(r"\s\| ", line, maxsplit=3))
        yield re.compile(pattern), files.split(), excepted.split(), reason


def check(tree):
    rules = list(_rules())
    for pattern, files, excepted, reason in rules:
        for name, _ in tree.matching(*files):
            if any(fnmatch.fnmatchcase(name, e) for e in excepted):
                continue
            code = tree.code(name)
            for match in pattern.finditer(code):
                yield f"{name}:{line_of(code, match.start())}: '{match.group(0)}': {reason}"


SEEDED = {
    "throw": {"runtime/box/a.cpp": 'void f() { throw 1; }\n'},
    "new": {"runtime/box/a.cpp": "int* p = new int;\n"},
    "exit": {"campaign/main.cpp": "int main() { std::exit(1); }\n"},
    "sleep": {"runtime/box/a_test.cpp": "std::this_thread::sleep_for(1s);\n"},
    "shell": {"runtime/vm/a.cpp": 'int x = system("true");\n'},
    "cout": {"runtime/engine/a.cpp": "std::cout << 1;\n"},
    "namespace": {"runtime/engine/a.hpp": "using namespace std;\n"},
    "range over a folder": {"runtime/sys/a.cpp": "for (const auto& e : fs::directory_iterator(p, c)) f(e);\n"},
    "name service": {"runtime/sys/a.cpp": 'auto* p = ::getpwnam("x");\n'},
}
CLEAN = {
    "runtime/box/a.cpp": '// throw new exit(1)\nconst char* s = "throw system(x)"; void f() { ::_exit(1); }\n'
    'auto r = R"(new)"; int n = 1\'000; char c = \'"\'; bool renew = true;\n'
    "auto b = std::unique_ptr<Box>(new Box(1));\n",
    "runtime/cli/a.cpp": "std::cout << 1;\n",
}
