"""The commands of README.md and docs/ do what they say: each shell block marked <!-- run --> is run as it stands.

On the native engine: the documents give no time limits, and the default of 2 s is short for an emulated VM on the
busy cores of CI.
"""

import pathlib
import re
import subprocess

from harness import NATIVE, test

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^<!-- run -->\n```(?:sh|console)\n(.*?)^```", re.M | re.S)


def blocks():
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
            yield page, match.group(1)


@test("the commands of the documents run as they stand", engines=NATIVE, guest=False, locks=("build",))
def documents(t):
    found = list(blocks())
    t.check("a document has a block to run", bool(found))
    env = {**t.environment(), "PYBOX_ENGINE": t.engine, "PATH": f"{t.setting.pybox.parent}:/usr/bin:/bin"}
    for page, block in found:
        done = subprocess.run(["bash", "-e", "-u", "-o", "pipefail", "-c", block], cwd=t.folder, env=env,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=100)
        t.check(f"{page.relative_to(ROOT)}: `{block.splitlines()[0]}` … ends with 0", done.returncode == 0,
                f"got {done.returncode}; stderr …{done.stderr[-400:].decode('utf-8', 'replace')}")
