"""Runs the native engine's tests inside a throw-away VM and keeps each result.

usage: guest.py run --pybox PATH --home DIR --init PATH --results FILE PHASE    boots, runs them as `root` or `user`
       guest.py result --results FILE NAME                                     one result, for ctest

The VM: the product's guest kernel, the base image as its disk, and an initramfs with the tests' own init
(guest_host/), the static programs and these files. Silence is failure: a test without a result failed.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import adversarial

HERE = pathlib.Path(__file__).resolve().parent
AGENTS = adversarial.FOLDER.parent / "campaign/clients/agents"
PROGRAMS = ("pybox", "boxd", "campaign", "campaign-plant", "boxd-campaign")
# Two of these VMs run at once, one a phase.
CPUS = "1"
# Nothing heard for so long means that the guest hangs: longer than any one test may take.
SILENCE_S = 300


def cpio_entry(name, mode, data=b"", number=[0]):
    """One file of a newc archive (kernel: Documentation/driver-api/early-userspace/buffer-format.rst)."""
    number[0] += 1
    fields = [number[0], mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
    head = b"070701" + b"".join(b"%08X" % f for f in fields) + name.encode() + b"\0"
    head += b"\0" * (-len(head) % 4)
    return head + data + b"\0" * (-len(data) % 4)


def stripped(program, folder):
    """A copy without debug information: all of it would have to fit into the guest's memory, twice."""
    small = folder / program.name
    subprocess.run(["strip", "-o", str(small), str(program)], check=True)
    return small


def initramfs(options, folder):
    """{path: host file} packed as the guest's first root."""
    kernel = options.home / "vm/kernel"
    files = {"init": options.init, "modules.list": kernel / "modules.list"}
    for module in (kernel / "modules").iterdir():
        files[f"modules/{module.name}"] = module
    for program in PROGRAMS:
        files[f"payload/bin/{program}"] = stripped(options.pybox.parent / program, folder)
    for path in HERE.iterdir():
        if path.suffix in (".py", ".json") or path.name == "run":
            files[f"payload/system/{path.name}"] = path
    for path in AGENTS.glob("*.py"):  # what test_agents.py imports
        files[f"payload/campaign/clients/agents/{path.name}"] = path
    for path in adversarial.FOLDER.rglob("*"):
        if path.is_file():
            files[f"payload/adversarial/{path.relative_to(adversarial.FOLDER)}"] = path
    for path in (options.home / "keys").iterdir():
        files[f"payload/home/keys/{path.name}"] = path
    for path in (options.home / "images/stdlib").iterdir():  # its records; its tree is the disk
        if path.is_file() and path.name != "image.erofs":
            files[f"payload/home/images/stdlib/{path.name}"] = path
    folders = {str(p) for name in files for p in pathlib.PurePath(name).parents if str(p) != "."}
    packed = [cpio_entry(name, 0o040755) for name in sorted(folders | {"newroot", "dev"})]
    for name, path in files.items():
        mode = 0o100600 if "/keys/" in name else 0o100755
        packed.append(cpio_entry(name, mode, path.read_bytes()))
    return b"".join(packed) + cpio_entry("TRAILER!!!", 0)


def accelerators():
    """KVM first; on some hosts (nested ones) it can be opened and still not run a machine."""
    forced = os.environ.get("PYBOX_VM_ACCELERATOR")
    if forced:
        return [forced]
    return ["kvm", "tcg"] if os.access("/dev/kvm", os.R_OK | os.W_OK) else ["tcg"]


def qemu_words(options, folder, accelerator):
    return [
        "qemu-system-x86_64", "-machine", f"q35,accel={accelerator}", "-cpu", "max", "-m", "1536", "-smp", CPUS,
        "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-sandbox", "on",
        "-kernel", str(options.home / "vm/kernel/vmlinuz"), "-initrd", str(folder / "initramfs"),
        "-append", "console=ttyS0 quiet loglevel=3 panic=-1 mitigations=off cgroup_no_v1=all rcupdate.rcu_expedited=1 "
                   f"PYBOX_PHASE={options.phase}",
        "-drive", f"file={options.home}/images/stdlib/image.erofs,format=raw,if=none,readonly=on,id=image",
        "-device", "virtio-blk-pci,drive=image", "-device", "virtio-rng-pci", "-device", "virtio-serial-pci",
        "-chardev", f"file,id=results,path={folder}/results", "-device",
        "virtserialport,chardev=results,name=org.pybox.test.results",
        "-serial", f"file:{folder}/console",
    ]


def wait_for(qemu, results):
    """Waits for the end of the VM; kills it when nothing more is heard."""
    size, heard = -1, time.monotonic()
    while qemu.poll() is None:
        now = results.stat().st_size if results.exists() else 0
        if now != size:
            size, heard = now, time.monotonic()
        if time.monotonic() - heard > SILENCE_S:
            qemu.kill()
            qemu.wait()
            return f"nothing was heard from the guest for {SILENCE_S} s"
        time.sleep(0.2)
    return "" if qemu.returncode == 0 else f"QEMU ended with {qemu.returncode}"


def read_results(lines):
    """{"tests": {name: result}, "status": n} from the lines of the results port; no status: it did not end."""
    tests, status = {}, None
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if "status" in entry:
            status = entry["status"]
        else:
            tests[entry["name"]] = entry
    return {"tests": tests, "status": status}


def emulator_failed(folder):
    """QEMU before 8.1 emulates several processors with a race (docs/adr/0009): no test can make the kernel meet
    a breakpoint that it did not set."""
    console = folder / "console"
    return console.exists() and "Oops: int3" in console.read_text(errors="replace")


def boot(options, folder, accelerator):
    """One VM from its start to its end: what it told, and its trouble."""
    results = folder / "results"
    results.unlink(missing_ok=True)
    with subprocess.Popen(qemu_words(options, folder, accelerator), stdin=subprocess.DEVNULL) as qemu:
        trouble = wait_for(qemu, results)
    lines = results.read_text(errors="replace").splitlines() if results.exists() else []
    return read_results(lines), trouble


def run(options):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pybox-guest-"))
    options.results.unlink(missing_ok=True)
    try:
        (folder / "initramfs").write_bytes(initramfs(options, folder))
        for accelerator in accelerators():
            for _ in range(3):
                told, trouble = boot(options, folder, accelerator)
                if not emulator_failed(folder):
                    break
                print("the emulator lost the guest (Oops: int3); once more")
            if told["tests"]:
                break
        if told["status"] not in (0, 1):
            trouble = trouble or f"the tests ended with {told['status']}"
        elif not told["tests"]:
            trouble = trouble or "the tests gave no result at all"
        options.results.write_text(json.dumps(told, indent=1))
        if trouble:
            print(trouble)
            print((folder / "console").read_text(errors="replace")[-6000:])
        print(f"{len(told['tests'])} results, {sum(t['seconds'] for t in told['tests'].values()):.0f} s")
        return 1 if trouble else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def result(options):
    try:
        told = json.loads(options.results.read_text())
    except (OSError, ValueError) as error:
        print(f"no results from the guest: {error}")
        return 1
    found = told.get("tests", {}).get(options.name)
    if found is None:
        print("the guest gave no result for this test")
        return 1
    print(f"{found['outcome']} after {found['seconds']} s in the guest")
    for line in found["lines"]:
        print(f"  {line}")
    return {"passed": 0, "skipped": 4}.get(found["outcome"], 1)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    boot = verbs.add_parser("run")
    for word in ("--pybox", "--home", "--init"):
        boot.add_argument(word, type=pathlib.Path, required=True)
    boot.add_argument("phase", choices=("root", "user"))
    one = verbs.add_parser("result")
    for verb in (boot, one):
        verb.add_argument("--results", type=pathlib.Path, required=True)
    one.add_argument("name")
    options = parser.parse_args()
    return run(options) if options.verb == "run" else result(options)


if __name__ == "__main__":
    sys.exit(main())
