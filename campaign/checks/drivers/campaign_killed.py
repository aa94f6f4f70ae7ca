"""Kills a campaign (SIGKILL) at random moments, resumes it until it is through, and looks at what is left of it and at its
evidence: nothing runs on, no arm is lost or judged twice, all of it verifies.

args["checks"]: which checks the inner campaign runs; args["kills"]: how often it is killed; args["within_s"]: in what
time. The control arm then loses an arm, judges one twice, claims one more and leaves a process: each must be found.
"""

import json
import random
import shutil
import subprocess
import time

import invariants
import prelude
from prelude import ASK, end, is_control, scratch

DONE_S = 200
# A killed campaign's boxes end with their programs, its worlds and drivers with it; a VM takes a moment.
GONE_S = 20


class Inner:
    def __init__(self, home):
        self.home, self.folder = home, scratch() / "evidence"
        self.program = prelude.program("campaign")
        if self.program is None:
            prelude.unmet("campaign was not built")
        self.checks = [f"{check}@{ASK['engine']}" for check in ASK["args"]["checks"]]
        self.said = b""

    def start(self):
        journal = self.folder / "events.jsonl"
        begun = journal.exists() and b"\n" in journal.read_bytes()
        if not begun:  # killed before anything was recorded
            shutil.rmtree(self.folder, ignore_errors=True)
        what = ["--resume"] if begun else self.checks
        return prelude.start("run", *what, "--out", self.folder, binary=self.program, home=self.home,
                             stdout=subprocess.DEVNULL)

    def kill_after(self, seconds):
        process = self.start()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
        prelude.kill(process.pid)
        self.said = process.stderr.read()
        process.wait()
        return process.returncode

    def finish(self):
        return prelude.finish(self.start(), time.monotonic(), DONE_S)

    def tear(self):
        """What a kill in the middle of a write would leave."""
        journal = self.folder / "events.jsonl"
        if journal.exists():
            with journal.open("ab") as file:
                file.write(b'{"arm":"prot')
            return 1
        return 0

    def events(self):
        return [json.loads(line) for line in (self.folder / "events.jsonl").read_bytes().splitlines()]

    def verify(self):
        done = prelude.pybox("verify", self.folder, binary=self.program, home=self.home)
        return [] if done.exit == 0 else [f"campaign verify: {done.exit}: {done.said()[-300:]}"]


def arm_of(event):
    return event["check"], event["engine"], event["arm"]


def each_once(folder):
    """Every planned arm was ended once, and judged once; what was cut short has no end."""
    if not (folder / "campaign.json").exists():
        return ["there is no campaign.json"]
    plan = json.loads((folder / "plan.json").read_bytes())
    report = json.loads((folder / "campaign.json").read_bytes())
    ended = {}
    for line in (folder / "events.jsonl").read_bytes().splitlines():
        event = json.loads(line)
        if event["event"] == "arm-ended":
            ended.setdefault(arm_of(event), []).append(event["nonce"])
    wanted = {(check["id"], check["engine"], arm) for check in plan["checks"] for arm in arms_of(check)}
    judged = [(check["id"], check["engine"], arm["arm"], attempt["nonce"]) for check in report["checks"]
              for arm in check["arms"] for attempt in arm["attempts"]]
    wrong = [f"{'/'.join(arm)} was never ended" for arm in sorted(wanted - set(ended))]
    wrong += [f"{'/'.join(arm)} was ended {len(nonces)} times" for arm, nonces in sorted(ended.items()) if len(nonces) != 1]
    wrong += [f"{'/'.join(arm)} was not planned" for arm in sorted(set(ended) - wanted)]
    wrong += [f"{'/'.join(one[:3])} was judged {judged.count(one)} times" for one in sorted(set(judged)) if judged.count(one) != 1]
    wrong += [f"{'/'.join(arm)} ended and was not judged" for arm, nonces in sorted(ended.items())
              for nonce in nonces if (*arm, nonce) not in judged]
    if report["verdict"] != "held" or not report["complete"]:
        wrong.append(f"the verdict is {report['verdict']}, complete: {report['complete']}")
    return wrong + invariants.chain_holds(folder) + invariants.claims_no_more(folder)


def arms_of(check):
    return [arm["arm"] if isinstance(arm, dict) else arm for arm in check["arms"]]


def kills(inner, before):
    wrong, moments, torn = [], random.Random(ASK["nonce"]), 0
    killed = 0
    for number in range(ASK["args"]["kills"]):
        after = moments.uniform(0.05, ASK["args"]["within_s"])
        code = inner.kill_after(after)
        killed += code == -9
        if code not in (-9, 0):
            wrong.append(f"kill {number + 1}: the campaign ended with {code}: {inner.said[-300:]!r}")
        left = invariants.settle(lambda: invariants.no_process(before), GONE_S)
        wrong += [f"killed after {after:.2f} s: {what}" for what in left]
        torn += inner.tear() if number == ASK["args"]["kills"] - 1 else 0
    done = inner.finish()
    if done.exit != 0:
        wrong.append(f"the last resume ended with {done.exit}: {done.said()[-500:]}")
        return wrong, killed
    told = sum(event.get("torn_bytes", 0) > 0 for event in inner.events() if event["event"] == "campaign-resumed")
    if torn and told < torn:
        wrong.append("a torn line was not told")
    wrong += inner.verify() + each_once(inner.folder)
    wrong += [f"killed before its reports were written: {what}" for what in unwritten(inner)]
    wrong += invariants.settle(lambda: invariants.nothing_left(before, inner.home), 5)
    return wrong, killed


def unwritten(inner):
    """As if it had been killed behind the last arm: half of the reports, one of them under a temporary name."""
    for name in ("campaign.json", "manifest.sha256", "evidence.intoto.jsonl"):
        (inner.folder / name).unlink()
    (inner.folder / ".report.html.0a1b2c").write_text("half")
    done = inner.finish()
    wrong = [] if done.exit == 0 else [f"resumed, it ended with {done.exit}: {done.said()[-300:]}"]
    return wrong + inner.verify() + each_once(inner.folder)


def spoiled(inner, before):
    """Each kind of damage by itself, and what is found of it."""
    folder, found = inner.folder, {}
    lines = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    report = (folder / "campaign.json").read_bytes()
    ends = [at for at, line in enumerate(lines) if b'"event":"arm-ended"' in line]

    def with_lines(changed):
        (folder / "events.jsonl").write_bytes(b"".join(changed))
        what = each_once(folder), inner.verify()
        (folder / "events.jsonl").write_bytes(b"".join(lines))
        return what[0] + what[1] if what[0] and what[1] else []

    found["an arm lost"] = with_lines(lines[:ends[-1]] + lines[ends[-1] + 1:])
    found["an arm twice"] = with_lines(lines + [lines[ends[-1]]])
    twice = json.loads(report)
    arm = twice["checks"][0]["arms"][0]
    arm["attempts"].append(arm["attempts"][0])
    (folder / "campaign.json").write_text(json.dumps(twice))
    found["judged twice"] = each_once(folder) if inner.verify() else []
    (folder / "campaign.json").write_bytes(report)
    sleeper = subprocess.Popen(["sleep", "60"])
    found["a process left"] = invariants.no_process(before)
    sleeper.kill()
    sleeper.wait()
    return [f"{name}: {what[0]}" for name, what in found.items() if what], [name for name, what in found.items() if not what]


def work():
    home = prelude.own_home()
    inner = Inner(home)
    prelude.run("pass", home=home, engine="native")  # the key and the folders are made
    for folder in ("campaign", "worlds"):
        (home / folder).mkdir(mode=0o700, exist_ok=True)
    before = invariants.View(home)
    if is_control():
        done = inner.finish()
        if done.exit != 0:
            end("not-held", said=done.said()[-500:])
        said, missed = spoiled(inner, before)
        end("unnoticed" if missed else "reached", said[0] if said else None, found=said, missed=missed)
    wrong, killed = kills(inner, before)
    end("reached" if wrong else "whole", wrong[0] if wrong else None, found=wrong[:20], killed=killed)


prelude.main(work, isolated=True)
