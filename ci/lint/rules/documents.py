"""Commands in README.md and docs/ are covered: each shell block is run by the documents' test, or says why not.

Before a fenced block of language sh or console stands <!-- run --> or <!-- not run: REASON -->.
Links between documents lead to files that exist, and so do documents that code names: `docs/x.md`, `NAME.md`.
"""

import posixpath
import re

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.M | re.S)
MARK = re.compile(r"<!-- (run|not run: .{8,}?) -->\s*\Z")
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)]*)?\)")
CODE = ("*.hpp", "*.cpp", "*.py", "*.sh", "*.txt", "*.toml", "*.cmake")
NAMED = re.compile(r"(?<![\w/.-])((?:docs/[\w/.-]+|[A-Z][A-Z-]+)\.md)\b")
# Other projects' documents, each named with its project.
FOREIGN = {"UIDS-GIDS.md"}


def check(tree):
    for name, text in tree.matching("README.md", "docs/*.md"):
        for match in FENCE.finditer(text):
            if match.group(1) not in ("sh", "console"):
                continue
            if not MARK.search(text[: match.start()]):
                line = text.count("\n", 0, match.start()) + 1
                yield f"{name}:{line}: a shell block needs <!-- run --> or <!-- not run: REASON --> before it"
        for match in LINK.finditer(text):
            target = match.group(1)
            if "://" in target or target.startswith("mailto:"):
                continue
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
            if path not in tree.files and not any(f.startswith(path + "/") for f in tree.files):
                line = text.count("\n", 0, match.start()) + 1
                yield f"{name}:{line}: link to {target}, which is not in the tree"
    for name, text in tree.matching(*CODE):
        for match in NAMED.finditer(text) if "ci/lint/" not in name else ():
            if match.group(1) not in tree.files and match.group(1) not in FOREIGN:
                line = text.count("\n", 0, match.start()) + 1
                yield f"{name}:{line}: names {match.group(1)}, which is not in the tree"


SEEDED = {
    "unmarked block": {"README.md": "Do:\n\n```sh\npybox version\n```\n"},
    "no reason": {"README.md": "<!-- not run: x -->\n```sh\npybox version\n```\n"},
    "dead link": {"docs/a.md": "see [b](b.md)\n"},
    "code that cites a page of nobody's": {"runtime/a.hpp": "/// The exit codes of RULES.md.\n"},
    "code that cites a document that went": {"ci/a.py": "# see docs/old.md\n"},
}
CLEAN = {
    "README.md": "<!-- run -->\n```sh\npybox version\n```\n\n<!-- not run: needs a cluster -->\n```console\n$ x\n```\n"
    "```json\n{}\n```\nsee [a](docs/a.md#x), [docs](docs), [site](https://example.org)\n",
    "docs/a.md": "back to [the README](../README.md)\n",
    "runtime/a.cpp": "// docs/a.md, README.md, systemd's UIDS-GIDS.md; writes summary.md\n",
}
