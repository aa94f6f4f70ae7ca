"""The files a rule looks at: the repository's, or a made-up set in a rule's self-test."""

import fnmatch
import pathlib
import re
import subprocess

DATA = pathlib.Path(__file__).resolve().parent

# One pass over C++: what is a comment, a string or a character literal, and what is code.
_CPP = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<raw>R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
      | (?P<string>"(?:\\.|[^"\\\n])*")
      | (?P<char>(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+')""",
    re.S | re.X,
)


class Skipped(Exception):
    """A rule that cannot be checked here; the text names what is missing."""


class Tree:
    """Paths relative to the repository's root, with their text; files that are no UTF-8 are left out."""

    def __init__(self, files, root=None):
        self.files = files
        self.root = root
        self._code = {}

    @staticmethod
    def of(files):
        return Tree(dict(files))

    @staticmethod
    def of_repository(root):
        listed = subprocess.run(
            ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True,
        )
        if listed.returncode == 0:
            names = [n for n in listed.stdout.decode().split("\0") if n]
        else:  # an unpacked archive, not a clone
            names = [str(p.relative_to(root)) for p in root.rglob("*") if "build" not in p.parts]
        files = {}
        for name in sorted(set(names)):
            try:
                files[name] = (root / name).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                continue
        return Tree(files, root)

    def matching(self, *patterns):
        """(path, text) of the files that match one of the glob patterns, in order. '*' crosses '/'."""
        for name in sorted(self.files):
            if any(fnmatch.fnmatchcase(name, p) for p in patterns):
                yield name, self.files[name]

    def code(self, name):
        """C++ text with comments and literals blanked out, line structure kept."""
        if name not in self._code:
            self._code[name] = _CPP.sub(_blank, self.files[name])
        return self._code[name]


def _blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def data_lines(name):
    """Lines of a data file beside the rules, without comments and blank lines."""
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        line = line.split(" # ")[0].strip()
        if line and not line.startswith("#"):
            yield line
