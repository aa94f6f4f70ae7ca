"""Every shell script parses, and stops at its first failure."""

import subprocess


def _is_shell(name, text):
    return name.endswith(".sh") or text.startswith(("#!/usr/bin/env bash", "#!/bin/bash", "#!/bin/sh"))


def check(tree):
    for name, text in tree.matching("*"):
        if not _is_shell(name, text):
            continue
        result = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
        if result.returncode != 0:
            yield f"{name}: {result.stderr.strip()}"
        elif text.startswith("#!") and "set -euo pipefail" not in text and "\nexec " not in text:
            yield f"{name}: a script starts with 'set -euo pipefail'"


SEEDED = {
    "does not parse": {"ci/a.sh": "if true; then\n"},
    "goes on after a failure": {"ci/a": "#!/usr/bin/env bash\necho hi\n"},
}
CLEAN = {"ci/a": "#!/usr/bin/env bash\nset -euo pipefail\necho hi\n", "ci/b.sh": "say() { :; }\n"}
