"""What can be seen and done inside a native builder."""

import os

from harness import NATIVE, test

LOOK = r"""
import os, socket, sys
def can(what):
    try: what(); return True
    except OSError: return False
print(sorted(os.listdir('/')), sorted(os.listdir('/tmp')), sorted(os.listdir('/dev')))
print('env', sorted(os.environ))
print('pids', sorted(int(p) for p in os.listdir('/proc') if p.isdigit()))
print('ids', os.getuid(), os.getgid(), os.getgroups())
print('canary', can(lambda: open(sys.argv[1])), can(lambda: open('/etc/shadow')))
print('unix', can(lambda: socket.socket(socket.AF_UNIX)), 'inet', can(lambda: socket.socket()))
print('write', can(lambda: open('/usr/x', 'w')), can(lambda: open('/tmp/x', 'w')))
print('chroot', can(lambda: os.chroot('/tmp')))
print([line for line in open('/proc/self/status') if line.startswith(('Cap', 'NoNewPrivs', 'Seccomp:'))])
"""


@test("a builder sees nothing of the host", engines=NATIVE, guest=False)
def builder_is_blind(t):
    canary = t.file("canary", "secret")
    scratch, settings = t.folder / "scratch", t.folder / "settings"
    scratch.mkdir()
    settings.mkdir()
    for name in ("resolv.conf", "nsswitch.conf", "certificates.pem"):
        (settings / name).write_text("")
    uid = 77777 if os.geteuid() == 0 else os.geteuid()
    if os.geteuid() == 0:
        os.chown(scratch, uid, uid)
    words = ("builder-box", t.setting.home / "images/stdlib/rootfs", scratch, settings, uid,
             "/usr/bin/python3.13", "-I", "-S", "-c", LOOK, canary)
    run = t.pybox(*words, env={"PYBOX_CANARY": "secret"})
    t.equal("exit code", (run.exit, run.errors), (0, ""))
    t.equal("what is no box is no builder", t.pybox(words[0], scratch, *words[2:]).exit, 120)
    t.has("its root is the image's", run.text, "['bin', 'dev', 'etc', 'lib', 'lib64', 'proc', 'sbin', 'tmp', 'usr', 'var']")
    t.has("devices", run.text, "['null', 'random', 'urandom', 'zero']")
    t.has("its environment is empty", run.text, "env ['LC_CTYPE']" if "LC_CTYPE" in run.text else "env []")
    t.has("it is alone", run.text, "pids [1]")
    t.has("the host's files", run.text, "canary False False")
    t.has("no unix socket, but the internet", run.text, "unix False inet True")
    t.has("it writes only to its scratch folder", run.text, "write False True")
    t.has("no chroot", run.text, "chroot False")
    for line in ("CapEff:\\t0000000000000000", "CapBnd:\\t0000000000000000", "NoNewPrivs:\\t1", "Seccomp:\\t2"):
        t.has(line, run.text, line)
