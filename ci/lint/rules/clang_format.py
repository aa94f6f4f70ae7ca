"""Every C++ file is as clang-format 14 writes it (.clang-format); other versions differ in small ways."""

import os
import re
import shutil
import subprocess
import tempfile

from tree import Skipped

VERSION = 14


def _program():
    for candidate in (f"clang-format-{VERSION}", "clang-format"):
        program = shutil.which(candidate)
        if program:
            text = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
            found = re.search(r"version (\d+)", text)
            if found and int(found.group(1)) == VERSION:
                return program
    raise Skipped(f"clang-format {VERSION} is not installed (Debian 12 has it)")


def _check_files(program, paths, cwd):
    """clang-format takes many files at once, but works on one core: give each core a share."""
    share = max(1, -(-len(paths) // (os.cpu_count() or 1)))
    running = [
        subprocess.Popen(
            [program, "--dry-run", "-Werror", *paths[i : i + share]],
            cwd=cwd, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        )
        for i in range(0, len(paths), share)
    ]
    for process in running:
        _, errors = process.communicate()
        seen = set()
        for line in errors.splitlines():
            found = re.match(r"(.+?):(\d+):\d+: error", line)
            if found and found.group(1) not in seen:
                seen.add(found.group(1))
                yield f"{found.group(1)}:{found.group(2)}: run clang-format -i on it"
        if process.returncode != 0 and not seen:
            yield f"clang-format failed: {errors.strip()[:300]}"


def check(tree):
    program = _program()
    names = [name for name, _ in tree.matching("*.cpp", "*.hpp")]
    if tree.root:
        yield from _check_files(program, names, tree.root)
        return
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            with open(os.path.join(folder, os.path.basename(name)), "w", encoding="utf-8") as out:
                out.write(tree.files[name])
        with open(os.path.join(folder, ".clang-format"), "w", encoding="utf-8") as out:
            out.write("BasedOnStyle: Google\nColumnLimit: 100\n")
        yield from _check_files(program, [os.path.basename(n) for n in names], folder)


SEEDED = {"indented by hand": {"runtime/base/a.cpp": "int   f( ){return 1;}\n"}}
CLEAN = {"runtime/base/a.cpp": "int f() { return 1; }\n"}
