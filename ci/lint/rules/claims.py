"""A sentence that claims something of everything (`every`, `all`, `never`, `cannot`, `always`) says which test holds it.

In README.md, docs/threat-model.md and docs/promises.md such a sentence stands in a promise that names its test, names
such a promise (`P10`), or holds a fragment of ci/lint/claims.txt, where it stands with the reason why it needs no test.
Code, comments and what a test is called are no claims. A fragment that no sentence holds is a finding too.
"""

import re

from rules.promises import PROMISE
from tree import DATA

PROMISES = "docs/promises.md"
FILES = ("README.md", "docs/threat-model.md", PROMISES)
WORD = re.compile(r"\b(every|all|never|cannot|always)\b", re.I)
NUMBER = re.compile(r"\bP(\d+)\b")
NO_PROSE = re.compile(r"^```.*?^```|<!--.*?-->|`[^`\n]*`", re.M | re.S)
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z*`\[])")
ACCEPTED = "ci/lint/claims.txt"


def tested(tree):
    """Numbers of the promises that name a test."""
    found = PROMISE.findall(tree.files.get(PROMISES, ""))
    return {int(number) for number, body in found if "`" in body.rpartition("Test:")[2] and "Test:" in body}


def accepted(tree):
    text = tree.files.get(ACCEPTED)
    if text is None and tree.root is not None:
        text = (DATA / "claims.txt").read_text()
    rows = [line.partition("|") for line in (text or "").splitlines() if line and not line.startswith("#")]
    return {fragment.strip(): reason.strip() for fragment, _, reason in rows}


def blanked(match):
    return re.sub(r"[^\n]", " ", match.group())


def sentences(name, text):
    """(line, sentence as it stands, its prose alone) of what stands outside promises."""
    prose = NO_PROSE.sub(blanked, text)
    if name == PROMISES:
        prose = PROMISE.sub(blanked, prose)
    at = 0
    for line_number, line in enumerate(prose.split("\n"), 1):
        start = 0
        for piece in SENTENCE.split(line):
            start = line.index(piece, start)
            yield line_number, text[at + start : at + start + len(piece)], piece
            start += len(piece)
        at += len(line) + 1


def check(tree):
    good, exceptions, used = tested(tree), accepted(tree), set()
    for name, text in tree.matching(*FILES):
        if name == PROMISES:
            for number, body in PROMISE.findall(text):
                if WORD.search(NO_PROSE.sub("", body.partition("Test:")[0])) and int(number) not in good:
                    yield f"{name}: P{number} claims something of everything and names no test"
        for line, whole, prose in sentences(name, text):
            word = WORD.search(prose)
            if not word:
                continue
            fragments = {fragment for fragment in exceptions if fragment in whole}
            used |= fragments
            if not fragments and not any(int(number) in good for number in NUMBER.findall(prose)):
                yield f"{name}:{line}: `{word.group()}` without a tested promise (`P…`) beside it: {whole.strip()[:90]}"
    for fragment, reason in exceptions.items():
        if not reason:
            yield f"{ACCEPTED}: no reason for: {fragment}"
        elif fragment not in used:
            yield f"{ACCEPTED}: no sentence holds: {fragment}"


_PROMISES = {PROMISES: "P1. No file is read. Test: `a file cannot be read`\n\nP2. It is fast. *test pending*\n"}
SEEDED = {
    "a bare claim": {**_PROMISES, "README.md": "Every file is safe.\n"},
    "another sentence's promise": {**_PROMISES, "README.md": "No file is read (P1). It never ends.\n"},
    "a promise without a test": {**_PROMISES, "README.md": "It is always fast (P2).\n"},
    "a promise that is not there": {**_PROMISES, "docs/threat-model.md": "It cannot be (P3).\n"},
    "a pending promise that claims": {PROMISES: "P1. Nothing is ever slow, in all worlds. *test pending*\n"},
    "a claim before the promises": {PROMISES: "It holds all.\n\nP1. x Test: `y`\n"},
    "an exception without its sentence": {**_PROMISES, ACCEPTED: "every page | a list of pages\n"},
    "an exception without a reason": {**_PROMISES, "README.md": "It lists every page.\n", ACCEPTED: "every page |\n"},
}
CLEAN = {
    PROMISES: "P1. Nothing is ever read, in all worlds. Test: `a file cannot be read`\n\nP2. It is fast. *test pending*\n",
    "README.md": "No program can read all files ([P1](docs/promises.md)). Plain words.\n\n```sh\nrun --all\n```\n"
    "`--all` is an option. <!-- never -->\n\n| a | every page |\n",
    "docs/threat-model.md": "It cannot read (P1), and `never` is a word.\n",
    "docs/other.md": "Never mind.\n",
    ACCEPTED: "# FRAGMENT | REASON\nevery page | a list of pages\n",
}
