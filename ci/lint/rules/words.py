"""No unfinished business, no path of the machine it was written on, no registry host, in any file."""

import re

from tree import line_of

# Written with a class in the middle, so that this file does not find itself.
PATTERNS = (
    (re.compile(r"\b(TOD[O]|FIXM[E]|XX[X])\b"), "unfinished: finish it or open an issue"),
    (re.compile(r"(?<![\w.])/wor[k]/"), "a path of the machine it was written on"),
    (re.compile(r"\bbash_job[s]\b"), "a path of the machine it was written on"),
    (
        re.compile(r"\b[\w.-]*\b(debia[n]\.org|ubunt[u]\.com|pypi\.or[g]|pythonhoste[d]\.org|npmj[s]\.(org|com)|crates\.i[o])\b"),
        "a registry's host: take it from the machine's own configuration",
    ),
)


def check(tree):
    for name, text in tree.matching("*"):
        for pattern, reason in PATTERNS:
            for match in pattern.finditer(text):
                yield f"{name}:{line_of(text, match.start())}: '{match.group(0)}': {reason}"


SEEDED = {
    "unfinished": {"runtime/box/a.cpp": "// TO" + "DO: later\n"},
    "machine path": {"docs/a.md": "see /wor" + "k/main\n"},
    "registry": {"ci/a.sh": "curl http://deb.debi" + "an.org/debian\n"},
}
CLEAN = {"docs/a.md": "the /workers of a network; /tmp/work/x; Debian 12; example.org\n"}
