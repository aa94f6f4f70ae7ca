"""Files in and out: what a program finds, what it may do with it, what comes back of what it leaves."""

import hashlib
import json
import os
import stat

import adversarial
from harness import test


def leave(t, name, *argv, inputs=(), **options):
    """Runs a hostile program with an output folder; returns the run and the folder."""
    out = t.folder / "out"
    words = [word for path in inputs for word in ("--input", path)]
    program = t.file("case.py", adversarial.program(name))
    return t.exec("--output", out, *words, program, *argv, **options), out


def returned(run):
    return {file["name"]: file for file in run.get("files.returned", [])}


def reasons(run):
    return {file["name"]: file["reason"] for file in run.get("files.omitted", [])}


def tree(folder):
    """{relative name: content} of every file below, links not followed."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            found[os.path.relpath(path, folder)] = None if os.path.islink(path) else open(path, "rb").read()
    return found


def check_agreement(t, run, out):
    """Receipt and folder tell the same, byte for byte."""
    listed = returned(run)
    there = tree(out) if out.exists() else {}
    t.equal("names in the folder and in the receipt", sorted(there), sorted(listed))
    for name, content in there.items():
        t.equal(f"size of {name[:40]}", listed.get(name, {}).get("bytes"), len(content))
        t.equal(f"digest of {name[:40]}", listed.get(name, {}).get("sha256"), hashlib.sha256(content).hexdigest())
    t.check("at most 64 files come back", len(listed) <= 64)
    t.check("omitted_total counts at least those listed",
            run.get("files.omitted_total", -1) >= len(run.get("files.omitted", [])))


@test("files go in and come back, folders kept, private and marked as untrusted")
def in_and_out(t):
    t.file("given/sub/b.bin", bytes(range(256)))
    (t.folder / "given/empty").mkdir()
    one = t.file("data.csv", "a,b\n1,2\n")
    out = t.folder / "out"
    run = t.exec("--input", one, "--input", t.folder / "given", "--output", out, "-c", """
import os, shutil
shutil.copy("/tmp/input/data.csv", "/tmp/output/copy.csv")
shutil.copytree("/tmp/input/given", "/tmp/output/given")
os.chmod("/tmp/output/given", 0o755)
print(sorted(os.listdir("/tmp/input")), os.listdir("/tmp/input/given/empty"))
""")
    t.ended(run, 0)
    t.equal("what the program found", run.text, "['data.csv', 'given'] []\n")
    check_agreement(t, run, out)
    t.equal("what came back", tree(out), {"copy.csv": b"a,b\n1,2\n", "given/sub/b.bin": bytes(range(256))})
    t.equal("what was left behind", reasons(run), {"given/empty/": "an empty folder"})
    t.receipt(run, files__status="received", files__trust="untrusted", request__return_files=True,
              request__files_in=[
                  {"name": "data.csv", "bytes": 8, "sha256": hashlib.sha256(b"a,b\n1,2\n").hexdigest()},
                  {"name": "given/sub/b.bin", "bytes": 256, "sha256": hashlib.sha256(bytes(range(256))).hexdigest()}])
    for path, mode in {out: 0o40700, out / "copy.csv": 0o100600, out / "given/sub": 0o40700}.items():
        t.equal(f"mode of {path.name}", os.lstat(path).st_mode, mode)
    t.has("summary", run.errors, f"2 files back, 264 B, in {out}")
    try:
        mark = os.getxattr(out / "copy.csv", "user.pybox.untrusted").decode()
    except OSError:
        mark = run.get("receipt_id")  # this file system has no user attributes
    t.equal("the mark is the receipt's id", mark, run.get("receipt_id"))


@test("nothing that was handed in can be written, renamed or removed")
def input_is_fixed(t):
    t.file("d/a.csv", "1,2\n")
    (t.folder / "d/empty").mkdir()
    other_owner = t.engine != "native" or os.geteuid() == 0
    run, _ = leave(t, "input_write", *(["other-owner"] if other_owner else []), inputs=[t.folder / "d"])
    t.ended(run, 0)
    said = json.loads(run.text or "{}")
    for way, how in said.get("found", {}).items():
        t.equal(way, how, "PermissionError")
    t.check("every way was tried", len(said.get("found", {})) >= 14)
    t.equal("what it holds afterwards", said.get("text"), "1,2\n")
    t.equal("the original", (t.folder / "d/a.csv").read_text(), "1,2\n")


@test("inputs and output folders that will not do are refused before any box is made")
def refused_beforehand(t):
    large = t.file("large", b"0" * (9 << 20))
    (t.folder / "link").symlink_to(large)
    (t.folder / "deep").mkdir()
    (t.folder / "deep/link").symlink_to("/etc/passwd")
    os.mkfifo(t.folder / "fifo")
    for name in ("x/a", "y/a", "z/A", "full/f"):
        t.file(name, "")
    cases = {
        "is too large": ["--input", large],
        "is a link": ["--input", t.folder / "link"],
        "deep/link` is a link": ["--input", t.folder / "deep"],
        "is a FIFO": ["--input", t.folder / "fifo"],
        "has the same name": ["--input", t.folder / "x/a", "--input", t.folder / "y/a"],
        "only in case": ["--input", t.folder / "x/a", "--input", t.folder / "z/A"],
        "is not empty": ["--output", t.folder / "full"],
        "is not a folder": ["--output", large],
    }
    for part, words in cases.items():
        run = t.exec(*words, "-c", "print('ran')")
        t.equal(f"exit code ({part})", run.exit, 126)
        t.has("message", run.errors, part)
        t.lacks("stdout", run.text, "ran")
        t.receipt(run, outcome__observation="NOT_STARTED", cleanup__status="NOT_ATTEMPTED")
    t.equal("the folder is as it was", tree(t.folder / "full"), {"f": b""})


@test("links, hard links and special files are listed with their reason and never brought back")
def links(t):
    run, out = leave(t, "output_links")
    t.ended(run, 0)
    t.equal("nothing was made that should not be possible", run.text, "")
    check_agreement(t, run, out)
    t.equal("what came back", tree(out), {"good": b"g"})
    found = reasons(run)
    for name in ("passwd", "folder", "inner", "dangling", "self", "up", "proc", "input", "descriptor", "sub/etc", "sub/up"):
        t.equal(name, found.get(name), "a symbolic link")
    t.equal("fifo", found.get("fifo"), "a FIFO")
    t.equal("socket", found.get("socket"), "a socket")
    for name in ("twice", "sub/twice"):
        t.has(name, found.get(name, ""), "a hard link")
    t.receipt(run, files__omitted_total=15)


@test("each hostile name comes back exactly or is listed escaped")
def hostile_names(t):
    entries = json.loads(adversarial.names("output_names").read_text())["names"]
    run, out = leave(t, "output_names", inputs=[adversarial.names("output_names")])
    t.ended(run, 0)
    check_agreement(t, run, out)
    wanted = {bytes.fromhex(e["hex"]).decode(): e["hex"].encode() for e in entries if e["fate"] == "returned"}
    t.equal("what came back", tree(out), wanted)
    t.receipt(run, files__omitted_total=len(entries) - len(wanted))
    t.check("names in the receipt and summary drive no terminal",
            all(c.isprintable() for f in run.get("files.omitted", []) for c in f["name"]) and
            all(c.isprintable() or c == "\n" for c in run.errors), repr(reasons(run))[:300])


@test("names that one file system would take for one refuse the whole transfer")
def collisions(t):
    for kind in ("case", "normalisation", "folders", "sharp"):
        run, out = leave(t, "output_collisions", kind)
        t.ended(run, 0)
        t.receipt(run, files__status="refused", files__returned=[], files__omitted_total=3)
        t.check(f"no folder was made ({kind})", not out.exists())
        t.check("one is said to differ only in case or normalisation",
                any("only in case or normalisation" in reason for reason in reasons(run).values()), str(reasons(run)))
        t.has("summary", run.errors, "transfer refused")


@test("a hundred thousand files end at the box's own limit and 64 come back")
def many(t):
    run, out = leave(t, "output_many")
    t.ended(run, 0)
    t.has("what the program met", run.text, "No space left on device")
    made = int(run.text.split()[-1])
    check_agreement(t, run, out)
    t.equal("those that came back", sorted(tree(out)), [f"f{i:06}" for i in range(64)])
    t.receipt(run, files__omitted_total=made - 64)
    t.within("of those left behind, listed", len(run.get("files.omitted", [])), 16, 64)
    if not t.slow:
        t.within("ms to collect", run.get("timing.collect"), 0, 1000)


@test("a sparse terabyte, a large file and what does not fit are skipped, the rest comes")
def large(t):
    run, out = leave(t, "output_large")
    t.ended(run, 0)
    check_agreement(t, run, out)
    # rl.fsize refuses the terabyte: what is left of it is empty.
    t.equal("what came back", {name: len(text) for name, text in tree(out).items()},
            {"small": 1, "zeros": 1 << 20, f"sparse-{1 << 40}": 0})
    t.equal("what the program met", run.text, f"{1 << 40} File too large\n")
    for name in ("large", f"sparse-{60 << 20}"):
        t.has(name, reasons(run).get(name, ""), "larger than all")
    if not t.slow:
        t.within("ms to collect", run.get("timing.collect"), 0, 1000)


@test("a tree of any depth is collected as far as it may be")
def deep(t):
    run, out = leave(t, "output_deep")
    t.ended(run, 0)
    check_agreement(t, run, out)
    t.equal("what came back", sorted(tree(out).values()), [b"3", b"t"])
    t.receipt(run, files__omitted_total=1)
    t.check("the list stays short", len(json.dumps(run.get("files.omitted"))) < 2000)


@test("files that grow and are swapped while the run ends cannot mislead")
def swapped(t):
    run, out = leave(t, "output_swapped")
    t.ended(run, 0)
    t.within("processes left running", run.get("outcome.leftovers_killed"), 1, 3)
    check_agreement(t, run, out)
    there = tree(out)
    t.equal("the steady file", there.get("steady"), b"s")
    t.check("nothing of the host came", all(b"root:" not in text for text in there.values()))
    t.check("a growing file came whole or not at all", set(there.get("growing", b"")) <= {ord("x")})


@test("nothing takes the place of /tmp/output")
def replaced(t):
    run, out = leave(t, "output_replaced")
    t.ended(run, 0)
    check_agreement(t, run, out)
    t.check("nothing of the host came", all(b"root:" not in text for text in tree(out).values()))
    if t.engine == "native" and os.geteuid() != 0:
        return  # the program owns /tmp and may mislay its own folder
    t.equal("what came back", tree(out), {"honest": b"h"})
    t.equal("how each attempt ended", run.text,
            "rename PermissionError\nlink FileExistsError\nrmdir PermissionError\nreplace PermissionError\n")


@test("set-id bits and modes do not travel, what is shut comes back all the same")
def modes(t):
    run, out = leave(t, "output_modes")
    t.ended(run, 0)
    check_agreement(t, run, out)
    t.equal("what came back", sorted(tree(out)), ["folder/inside", "open", "setid", "shut"])
    for name in tree(out):
        t.equal(f"mode of {name}", stat.S_IMODE(os.lstat(out / name).st_mode), 0o600)


@test("files come back after a crash, os._exit, the deadline, and 100 KB of output")
def after_all_ends(t):
    write = "import os,sys,time\nwith open('/tmp/output/f','wb') as f: f.write(bytes(range(256))*400)\n"
    ends = {
        "raise RuntimeError('boom')": (1, "TARGET_EXIT_OBSERVED"),
        "os._exit(9)": (9, "TARGET_EXIT_OBSERVED"),
        "os.kill(os.getpid(), 11)": (139, "TARGET_EXIT_OBSERVED"),
        "print('x'*102400)": (0, "TARGET_EXIT_OBSERVED"),
        "time.sleep(60)": (124, "SUPERVISOR_KILL_OBSERVED"),
    }
    for number, (end, (code, observation)) in enumerate(ends.items()):
        out = t.folder / f"out{number}"
        run = t.exec("--output", out, "-c", write + end, limit_s=3 if code == 124 else 20)
        t.ended(run, code, observation)
        t.equal(f"the file after {end}", tree(out) if out.exists() else None, {"f": bytes(range(256)) * 400})
        if "print" in end:
            t.receipt(run, capture__stdout__truncated=True, capture__stdout__bytes_kept=65536,
                      capture__stdout__bytes_total=102401)


@test("a program that leaves nothing gives an empty folder, one that was not asked gives none")
def nothing_left(t):
    out = t.folder / "out"
    run = t.exec("--output", out, "-c", "pass")
    t.ended(run, 0)
    t.receipt(run, files__status="received", files__returned=[], files__omitted_total=0)
    t.equal("the folder", os.listdir(out), [])
    run = t.exec("-c", "open('/tmp/output/f','w').write('x'); import os; print(os.listdir('/tmp/input'))")
    t.ended(run, 0)
    t.equal("an empty /tmp/input", run.text, "[]\n")
    t.receipt(run, files__status="none", request__return_files=False)
