"""Each promise of docs/promises.md names tests that exist, or says *test pending*.

A promise is a numbered line `P7. …`; it ends with `Test: NAME; NAME` (names in backquotes) or the mark.
"""

import json
import re

PROMISE = re.compile(r"^P(\d+)\. (.+?)(?=^P\d+\. |^#|\Z)", re.M | re.S)
CPP_TEST = re.compile(r'\b(?:TEST_CASE|SCENARIO|TEMPLATE_TEST_CASE)\s*\(\s*((?:"(?:\\.|[^"\\])*"\s*)+)')
PAGE_TEST = re.compile(r'^test\("((?:\\.|[^"\\])*)"', re.M)
PYTHON_TEST = re.compile(r'^@test\(\s*((?:f?"(?:\\.|[^"\\])*"\s*)+)', re.M)


def _joined(literals):
    return "".join(re.findall(r'"((?:\\.|[^"\\])*)"', literals)).replace('\\"', '"')


def known_tests(tree):
    """Names of all tests: Catch2 cases, ci/system tests, ci/system cases, tests of pages in a browser."""
    names = set()
    for _, text in tree.matching("*_test.cpp"):
        names |= {_joined(m) for m in CPP_TEST.findall(text)}
    for _, text in tree.matching("ci/system/*.py"):
        names |= {_joined(m) for m in PYTHON_TEST.findall(text)}
    for _, text in tree.matching("reports/browser/*.mjs"):
        names |= set(PAGE_TEST.findall(text))
    for _, text in tree.matching("ci/system/cases.json"):
        names |= {f"case {case['id']}" for case in json.loads(text)["cases"]}
    return names


def check(tree):
    tests = known_tests(tree)
    for name, text in tree.matching("docs/promises.md"):
        promises = PROMISE.findall(text)
        if not promises:
            yield f"{name}: holds no promise of the form 'P1. …'"
        numbers = [int(n) for n, _ in promises]
        if numbers != list(range(1, len(numbers) + 1)):
            yield f"{name}: promises are not numbered 1, 2, 3 … in order"
        for number, body in promises:
            _, mark, proof = body.rpartition("Test:")
            named = re.findall(r"`([^`]+)`", proof) if mark else []
            if not named and "*test pending*" not in body:
                yield f"{name}: P{number} names no test and is not marked *test pending*"
            for test in named:
                if test not in tests:
                    yield f"{name}: P{number} names `{test}`, and no test has that name"


_TESTS = {
    "reports/browser/page_test.mjs": 'test("a page asks for nothing", async () => {});\n',
    "runtime/box/a_test.cpp": 'TEST_CASE("a box is "\n          "removed") {}\n',
    "ci/system/limits.py": '@test("memory is limited", engines=ALL)\ndef f(t): pass\n',
    "ci/system/cases.json": '{"cases": [{"id": "exit-3"}]}',
}
SEEDED = {
    "no test": {"docs/promises.md": "P1. Boxes go away.\n"},
    "a test that does not exist": {**_TESTS, "docs/promises.md": "P1. Boxes go away. Test: `a box stays`\n"},
    "a gap": {**_TESTS, "docs/promises.md": "P1. x *test pending*\n\nP3. x *test pending*\n"},
    "none": {"docs/promises.md": "# Promises\n"},
}
CLEAN = {
    **_TESTS,
    "docs/promises.md": "P1. Boxes go.\nTest: `a box is removed`; `case exit-3`\n\nP2. Limits. Test: `memory is limited`\n"
    "\n## More\n\nP3. Later. *test pending*\n\nP4. Quiet. Test: `a page asks for nothing`\n",
}
