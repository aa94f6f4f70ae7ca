"""A few checks of the campaign as an ordinary user and as root on cgroup v2: the rest of it runs on the host and in
the VM of its worlds (`campaign: …` among the tests)."""

import json
import os
import subprocess

from harness import NATIVE, test

EVERYWHERE = ["fs.mounts.shared", "fs.read.outside", "net.loopback", "filter.ptrace", "env.leak"]
# What only cgroup v2 has, and only root can leave out.
ROOT_WITH_V2 = ["leftovers.daemons"]


def control_seals(judged):
    """{check: what the seal of its control arm differed in}"""
    return {check["id"]: arm["attempts"][0]["seal"]["differs"] for check in judged["checks"] for arm in check["arms"]
            if arm["arm"] == "control"}


@test("a few checks of the campaign hold natively, and their controls leave out what they say", engines=NATIVE,
      timeout_s=280, apart=True, locks=("campaign",))
def a_few_checks(t):
    root_with_v2 = t.setting.guest and os.geteuid() == 0
    names = EVERYWHERE + (ROOT_WITH_V2 if root_with_v2 else [])
    mounts = open("/proc/self/mountinfo").read()
    program = t.setting.pybox.parent / "campaign"
    done = subprocess.run([program, "run", *names, "--engine", "native", "--out", t.folder / "evidence"],
                          env=t.environment(), capture_output=True, text=True, timeout=270, stdin=subprocess.DEVNULL)
    file = t.folder / "evidence" / "campaign.json"
    if not t.check("there is evidence", file.exists(), done.stderr[-600:]):
        return
    judged = json.loads(file.read_text())
    for check in judged["checks"]:
        t.equal(f"{check['id']} ({check['why'][:300]})", check["verdict"], "held")
    t.equal("every check was judged", sorted(check["id"] for check in judged["checks"]), sorted(names))
    t.equal("exit code", done.returncode, 0)
    t.equal("left out for fs.mounts.shared", control_seals(judged).get("fs.mounts.shared"), ["ns.mnt"])
    for name in ["ns.mnt", "ns.net"] + (["cg.kill"] if root_with_v2 else []):
        t.equal(f"{name} on this host", judged["protections"][name], "proven")
    t.equal("the mounts of this host", open("/proc/self/mountinfo").read(), mounts)
    left = [pid for pid in os.listdir("/proc") if pid.isdigit() and name_of(pid) == "stand-in"]
    t.equal("stand-ins that outlived their box", left, [])


def name_of(pid):
    try:
        return open(f"/proc/{pid}/comm").read().strip()
    except OSError:
        return ""
