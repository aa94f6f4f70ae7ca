"""`campaign bench`: its evidence verifies and its figures are those of its samples, whoever runs it; interrupted it
keeps what it has and leaves nothing."""

import json
import os
import pathlib
import signal
import subprocess
import time

import host
from harness import ALL, NATIVE, test

CASES = ("stdlib.empty", "stdlib.compute")


def campaign(t, *words, **options):
    program = t.setting.pybox.parent / "campaign"
    return subprocess.Popen([str(program), *[str(word) for word in words]], env=t.environment(), cwd=t.folder,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            start_new_session=True, **options)


def ended(process, patience_s=100):
    out, err = process.communicate(timeout=patience_s)
    return process.returncode, out.decode(), err.decode()


def pairs_in(folder):
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    return [event for event in events if event["event"] == "pair"]


def left_over(t):
    """Homes of the bench's own, and processes that work in one."""
    homes = pathlib.Path(t.environment()["PYBOX_HOME"], "campaign")
    folders = [str(folder) for folder in homes.iterdir()] if homes.exists() else []
    return folders + [pid for pid in host.all_pids() if works_in(pid, f"{homes}/drivers-")]


def works_in(pid, place):
    for view in ("environ", "cmdline"):
        try:
            if place.encode() in pathlib.Path(f"/proc/{pid}/{view}").read_bytes():
                return True
        except OSError:
            continue
    return False


@test("a bench times sealed runs beside bare ones, and its evidence verifies", engines=ALL, guest=False,
      locks=("campaign",))
def bench(t):
    folder = t.folder / "bench"
    code, out, err = ended(campaign(t, "bench", "--engine", t.engine, "--images", "stdlib", "--runs", 2, "--warm-up", 1,
                                    "--json", "--out", folder))
    if not t.check("it ends with 0", code == 0, err[-600:]):
        return
    figures = json.loads(out)
    t.equal("what is printed is bench.json", figures, json.loads((folder / "bench.json").read_text()))
    t.equal("the cases", [each["case"] for each in figures["cases"]], [f"{t.engine}.{name}" for name in CASES])
    pairs = pairs_in(folder)
    t.equal("pairs recorded", len(pairs), 3 * len(CASES))
    for each in figures["cases"]:
        counted = [pair for pair in pairs if pair["case"] == each["case"] and not pair["warm_up"]]
        for side in ("bare", "sealed"):
            times = sorted(pair[f"{side}_ns"] for pair in counted)
            spread = each[side]
            t.equal(f"{each['case']} {side}", (spread["p50_ns"], spread["p99_ns"]), (times[0], None))
        t.equal(f"{each['case']}: the accelerator is told", each["accelerator"] is not None, t.engine == "vm")
        t.check(f"{each['case']}: the seal was read back", each["seal_checks"] > 40)
    code, out, err = ended(campaign(t, "verify", folder))
    t.check("it verifies", code == 0 and "every figure follows" in out, err)
    t.equal("nothing is left", left_over(t), [])


@test("a bench's changed sample and changed figure are told", engines=NATIVE, guest=False, locks=("campaign",))
def tampered(t):
    folder = t.folder / "bench"
    code, _, err = ended(campaign(t, "bench", "--engine", "native", "--images", "stdlib", "--runs", 1, "--warm-up", 0,
                                  "--out", folder))
    if not t.check("it ends with 0", code == 0, err[-600:]):
        return
    for name, old, new in (("events.jsonl", '"bare_ns":', '"bare_ns":9'), ("bench.json", '"p50_ns":', '"p50_ns":9')):
        whole = (folder / name).read_text()
        (folder / name).write_text(whole.replace(old, new, 1))
        code, _, err = ended(campaign(t, "verify", folder))
        t.check(f"{name}: told", code == 1 and f"{name} was changed" in err, err)
        (folder / name).write_text(whole)
    code, _, err = ended(campaign(t, "verify", folder))
    t.equal("put back it verifies", (code, err), (0, ""))


@test("an interrupted bench keeps what it has and leaves nothing", engines=NATIVE, guest=False, locks=("campaign",))
def interrupted(t):
    folder = t.folder / "bench"
    process = campaign(t, "bench", "--engine", "native", "--images", "stdlib", "--runs", 5000, "--out", folder)
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up and not ((folder / "events.jsonl").exists() and len(pairs_in_so_far(folder)) > 5):
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    code, out, err = ended(process)
    t.equal("exit code", code, 130)
    t.check("it says what it kept", "kept: " in err and str(folder) in err, err[-400:])
    t.check("the table says so", "Ended early: it was interrupted." in out, out[-400:])
    code, out, err = ended(campaign(t, "verify", folder))
    t.check("what was kept verifies", code == 0 and "the bench is not complete" in out, out + err)
    t.equal("nothing is left", left_over(t), [])


def pairs_in_so_far(folder):
    return [line for line in (folder / "events.jsonl").read_text().splitlines() if '"event":"pair"' in line]
