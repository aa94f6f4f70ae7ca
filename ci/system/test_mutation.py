"""`ci/mutation` for three protections: a boxd that does not apply them is noticed by name (the whole takes too long)."""

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

from harness import NATIVE, NO_ENGINE, test

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "ci" / "mutation"


def loaded():
    loader = importlib.machinery.SourceFileLoader("mutation", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutation", loader))
    loader.exec_module(module)
    return module


@test("a boxd patched not to apply a protection is refused by the read-back, by its name", engines=NATIVE, guest=False,
      timeout_s=900)
def three_protections(t):
    # A filter entry, a resource limit, a namespace whose flag the kernel itself misses: one mutant of each kind.
    words = [sys.executable, SCRIPT, "--only", "sec.keys,rl.core,ns.mnt", "--programs", t.setting.pybox.parent, "--home",
             t.setting.home]
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=880, env=os.environ)
    t.equal(f"exit code ({done.stderr[-600:]})", done.returncode, 0)
    for name in ("sec.keys", "rl.core", "ns.mnt"):
        t.check(f"{name} is named", re.search(rf"^{re.escape(name)} +read-back +named", done.stdout, re.M) is not None,
                done.stdout)
    t.check("without its flag the kernel refuses the box", re.search(r"^ns\.mnt +call +kernel", done.stdout, re.M) is not None,
            done.stdout)
    t.has("the sum", done.stdout, "3 protections taken out, 0 survivors")


@test("the mutation run counts what nobody noticed, and forgives only what it explains", engines=NO_ENGINE)
def survivors(t):
    mutation = loaded()
    t.equal("a run that was not refused", mutation.judge("rl.core", "read-back", "ran", "named"), ("SURVIVED", True))
    t.equal("a campaign that stays green", mutation.judge("rl.core", "campaign", "green", "red"), ("SURVIVED", True))
    t.equal("one that is named", mutation.judge("rl.core", "read-back", "named", "named"), ("", False))
    known = set(mutation.protections())
    for (name, part), reason in mutation.mutants.EXPECTED.items():
        t.check(f"{name} is a protection", name in known)
        t.check(f"{name} has a reason", part in ("read-back", "campaign") and len(reason) > 20)
        t.equal(f"{name} is forgiven", mutation.judge(name, part, "ran", "named")[1], False)
    for name in mutation.mutants.LITERAL:
        t.check(f"{name} is a protection", name in known)
        t.equal(f"{name} literally left out, and it ran", mutation.judge(name, "call", "ran", "kernel"), ("SURVIVED", True))
    listed = [{"engine": engine, "cut": cut, "id": id} for engine, cut, id in (
        ("native", ["a", "b", "c"], "three"), ("native", ["a", "b"], "two"), ("vm", ["a"], "elsewhere"))]
    t.equal("the check of the least cut proves", mutation.mutants.proof(listed, "a"), (("a", "b"), ["two"]))
    t.equal("no check proves what none leaves out", mutation.mutants.proof(listed, "d"), ((), []))
