"""A disk that is full: at the start, while the receipt is written, while an output folder is delivered, while an
image is made. The home (or the output) lies on a tmpfs of its own, which this driver fills.

PyBox must say so with an exit code of its own, leave nothing half-written, and work again when there is room. The
control arm writes as a careless program would; what it leaves must be noticed.
"""

import json
import os
import pathlib
import shutil
import subprocess

import invariants
import prelude
from prelude import ASK, end, is_control, scratch

PROGRAM = "open('/tmp/output/big', 'w').write('b' * 3000000); print('up', flush=True)\nimport time; time.sleep(1.5)\n"
BALLAST = "ballast"


def small_disk(size="24m", inodes="400"):
    place = scratch() / "small"
    place.mkdir(mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},nr_inodes={inodes},mode=0700", "tmpfs", place], check=True)
    return place


def fill(place, leave=0):
    with open(place / BALLAST, "wb", buffering=0) as file:
        try:
            while file.write(b"\0" * 65536):
                pass
        except OSError:
            pass
        try:
            while file.write(b"\0" * 512):
                pass
        except OSError:
            pass
        if leave:
            file.truncate(max(0, file.tell() - leave))


def fill_inodes(place):
    (place / "many").mkdir()
    try:
        for number in range(100_000):
            (place / "many" / str(number)).touch()
    except OSError:
        pass


def make_room(place):
    (place / BALLAST).unlink(missing_ok=True)
    shutil.rmtree(place / "many", ignore_errors=True)


def home_on(place):
    home = place / "home"
    home.mkdir(mode=0o700)
    (home / "images").symlink_to(pathlib.Path(ASK["home"], "images"))
    return home


def careless(home):
    """What a program does that writes in place and forgets to look."""
    (home / "receipts").mkdir(exist_ok=True)
    with open(home / "receipts" / "0123.json", "wb", buffering=0) as file:
        text = json.dumps({"receipt_id": "0123", "filler": "x" * 100_000}).encode()
        try:
            file.write(text[:4096]) and file.write(text[4096:])
        except OSError:
            pass


def exec_words(out=None):
    words = ["exec", "--engine", "native", "--timeout", 5, "-c", PROGRAM]
    return words[:-2] + (["--output", out] if out else []) + words[-2:]


def at_start(place, home):
    fill(place)
    done = prelude.pybox(*exec_words(), home=home)
    return [done], [] if done.exit in (125, 126) else [f"exit code {done.exit} on a full disk: {done.said()[-200:]}"]


def no_inodes(place, home):
    fill_inodes(place)
    done = prelude.pybox(*exec_words(), home=home)
    return [done], [] if done.exit in (125, 126) else [f"exit code {done.exit} without inodes: {done.said()[-200:]}"]


def while_it_runs(place, home):
    """The receipt cannot be kept any more once the program runs."""
    began = prelude.time.monotonic()
    client = prelude.start(*exec_words(), home=home)
    if client.stdout.read(3) != b"up\n":
        end("no-start", said=client.stderr.read().decode("utf-8", "replace")[-300:])
    fill(place)
    done = prelude.finish(client, began)
    wrong = [] if done.exit == 125 else [f"exit code {done.exit} for a receipt that was not kept: {done.said()[-200:]}"]
    if "space" not in done.said():
        wrong.append(f"it does not say why: {done.said()[-200:]}")
    return [done], wrong


def output(place, home):
    """The home has room, the folder for the results has none."""
    fill(place, leave=1_000_000)
    done = prelude.pybox(*exec_words(place / "out"), home=prelude.own_home("roomy"))
    wrong = [] if done.exit == 125 else [f"exit code {done.exit} for files that did not fit: {done.said()[-200:]}"]
    beside = sorted(path.name for path in place.iterdir())
    if beside != [BALLAST, "home"]:
        wrong.append(f"left beside: {beside}")
    return [done], wrong


def record(place, home):
    """The client is killed, and its run's record does not fit."""
    client = prelude.start(*exec_words(), home=home)
    if client.stdout.read(3) != b"up\n":
        end("no-start", said=client.stderr.read().decode("utf-8", "replace")[-300:])
    client.kill()
    client.communicate()
    fill(place)
    return [], []


def images(place, home):
    """A set-up without room ends with a message and leaves nothing that looks like an image."""
    (home / "images").unlink()
    cache = pathlib.Path(ASK["home"], "cache")
    if cache.is_dir():
        (home / "cache").mkdir(mode=0o700)
        for name in ("archives", "lists", "lists.complete"):
            if (cache / name).exists():
                (home / "cache" / name).symlink_to(cache / name)
    done = prelude.pybox("setup", "--yes", home=home, patience_s=150, env={"http_proxy": "http://127.0.0.1:1/"})
    wrong = [] if done.exit in (125, 126) else [f"exit code {done.exit} of a set-up without room: {done.said()[-200:]}"]
    listed = [path.name for path in (home / "images").glob("*")] if (home / "images").is_dir() else []
    wrong += [f"images/{name} is there" for name in listed if not name.startswith(".")]
    shutil.rmtree(home / "images", ignore_errors=True)
    shutil.rmtree(home / "cache", ignore_errors=True)
    (home / "images").symlink_to(pathlib.Path(ASK["home"], "images"))
    return [done], wrong


def work():
    place = small_disk()
    home = home_on(place)
    prelude.own_home("roomy")
    before = invariants.View(home)
    when = {"start": at_start, "inodes": no_inodes, "receipt": while_it_runs, "output": output, "record": record,
            "images": images}[ASK["args"]["when"]]
    if is_control():
        fill(place)
        make_room(place)
        fill(place, leave=8192)
        careless(home)
        found = invariants.receipts_whole(home)
        end("reached" if found else "unnoticed", found[0] if found else None, found=found)
    runs, wrong = when(place, home)
    wrong += invariants.answered(runs, 170)
    wrong += [f"signal {-run.exit}" for run in runs if run.exit < 0]
    wrong += invariants.settle(lambda: invariants.no_process(before), 10)
    wrong += invariants.receipts_whole(home)
    make_room(place)
    wrong += invariants.starts_again(home, engine="native")
    wrong += invariants.receipts_whole(home)
    wrong += invariants.settle(lambda: [thing for thing in invariants.nothing_left(before, home)
                                        if not thing.startswith(f"file {home}/run")], 3)
    end("reached" if wrong else "refused", wrong[0] if wrong else None, found=wrong[:20],
        said=[run.said()[-160:] for run in runs])


prelude.main(work, isolated=True)
