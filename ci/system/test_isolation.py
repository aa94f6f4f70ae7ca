"""What a program in a box cannot reach. Each probe is first made outside, where it must succeed: a
probe that could not succeed anywhere proves nothing."""

import os
import socket
import subprocess
import sys
import threading

from harness import test


def outside(code, *words):
    """The same probe on the host itself, by the host's own interpreter."""
    return subprocess.run([sys.executable, "-I", "-c", code, *words], capture_output=True, text=True,
                          timeout=60).stdout


READ = "import sys\ntry: print(open(sys.argv[1]).read())\nexcept OSError as e: print('refused', e.errno)\n"


@test("a file of the host cannot be read")
def host_file(t):
    secret = t.nonce()
    path = t.file("secret.txt", secret)
    os.chmod(t.folder, 0o755)
    t.has("control: outside, it can", outside(READ, str(path)), secret)
    run = t.exec("-c", READ, str(path))
    t.ended(run, 0)
    t.equal("inside", run.text, "refused 2\n")


@test("the host's accounts and machine identity are not shown")
def host_identity(t):
    code = ("import os\nfor p in ('/etc/shadow','/etc/machine-id','/root/.profile','/var/lib/dbus/machine-id',"
            "'/proc/cmdline','/proc/kallsyms','/proc/kcore','/proc/keys','/proc/sched_debug','/proc/timer_list',"
            "'/sys/class/dmi/id/product_uuid'):\n    try: b=open(p,'rb').read(64)\n    except OSError: continue\n"
            "    if b.strip(): print(p, b)\nprint('end')\n")
    t.has("control: outside, some can be read", outside(code), "/proc/cmdline")
    run = t.exec("-c", code)
    t.ended(run, 0)
    t.equal("inside", run.text, "end\n")


@test("a secret in the caller's environment reaches no box, by any road")
def environment_secret(t):
    secret = t.nonce()
    code = ("import os,glob\nfor p in glob.glob('/proc/*/environ')+glob.glob('/proc/*/cmdline'):\n"
            "    try: print(open(p,'rb').read())\n    except OSError: pass\nprint(dict(os.environ))\nprint('end')\n")
    control = subprocess.run([sys.executable, "-I", "-c", code], env={"SECRET": secret}, capture_output=True, text=True)
    t.has("control: outside, it is found", control.stdout, secret)
    run = t.exec("-c", code, env={"SECRET": secret, "AWS_SECRET_ACCESS_KEY": secret, "LD_PRELOAD_NOTE": secret})
    t.ended(run, 0)
    t.has("the probe ran", run.text, "end\n")
    t.lacks("stdout", run.text, secret)
    t.lacks("receipt", str(run.receipt), secret)


CONNECT = """
import socket, sys
def attempt(what, family, kind, address, protocol=0):
    try:
        s = socket.socket(family, kind, protocol); s.settimeout(2)
        s.connect(address); s.sendall(b'x'); print(what, 'reached')
    except OSError as e: print(what, 'refused')
host, port, name, path = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
attempt('tcp', socket.AF_INET, socket.SOCK_STREAM, (host, port))
attempt('abstract', socket.AF_UNIX, socket.SOCK_STREAM, '\\0' + name)
attempt('unix', socket.AF_UNIX, socket.SOCK_STREAM, path)
"""


def _answer(server):
    def loop():
        while True:
            try:
                server.accept()[0].recv(1)
            except OSError:
                return
    threading.Thread(target=loop, daemon=True).start()
    return server


@test("servers on the host cannot be reached")
def host_servers(t):
    name, path = t.nonce(), str(t.folder / "socket")
    tcp = _answer(socket.create_server(("127.0.0.1", 0)))
    abstract = socket.socket(socket.AF_UNIX)
    abstract.bind("\0" + name)
    named = socket.socket(socket.AF_UNIX)
    named.bind(path)
    for server in (abstract, named):
        server.listen()
        _answer(server)
    os.chmod(path, 0o777)
    os.chmod(t.folder, 0o755)
    words = ("127.0.0.1", str(tcp.getsockname()[1]), name, path)
    t.equal("control: outside, all answer", outside(CONNECT, *words), "tcp reached\nabstract reached\nunix reached\n")
    run = t.exec("-c", CONNECT, *words)
    t.ended(run, 0)
    t.equal("inside", run.text, "tcp refused\nabstract refused\nunix refused\n")
    for server in (tcp, abstract, named):
        server.close()


NETWORK = """
import socket, os
made = []
for n, family, kind in (('inet', 2, 1), ('inet6', 10, 1), ('netlink', 16, 3), ('packet', 17, 3), ('vsock', 40, 1), ('alg', 38, 5), ('raw', 2, 3)):
    try: socket.socket(family, kind, 1 if n == 'raw' else 0); made.append(n)
    except OSError: pass
print(made)
try: print([n for _, n in socket.if_nameindex()])
except OSError: print('no list')
for address in (('192.0.2.1', 80), ('169.254.169.254', 80), ('10.0.2.2', 80), ('8.8.8.8', 53)):
    s = socket.socket(); s.settimeout(1)
    try: s.connect(address); print(address, 'reached')
    except OSError as e: print(address[0], type(e).__name__)
try: print(socket.getaddrinfo('example.com', 80))
except OSError as e: print('no names')
"""


@test("no socket leads outside")
def no_network(t):
    run = t.exec("-c", NETWORK)
    t.ended(run, 0)
    lines = run.text.splitlines()
    t.lacks("stdout", run.text, "reached")
    for family in ("netlink", "packet", "vsock", "alg", "raw"):
        t.lacks("families that can be had", lines[0], family)
    t.has("internet sockets exist, for loopback", lines[0], "'inet'")
    t.check("interfaces", lines[1] in ("['lo']", "no list"), lines[1])
    t.equal("names", lines[-1], "no names")


FORBIDDEN = """
import ctypes, os, errno
libc = ctypes.CDLL(None, use_errno=True)
page = ctypes.create_string_buffer(4096)
calls = {'mount': (165, b'none', b'/tmp', b'tmpfs', 0, 0), 'umount2': (166, b'/tmp', 0), 'pivot_root': (155, b'/', b'/'),
  'chroot': (161, b'/'), 'unshare user': (272, 0x10000000), 'unshare net': (272, 0x40000000), 'setns': (308, 0, 0),
  'clone newuser': (56, 0x10000000 | 17, 0, 0, 0, 0), 'ptrace': (101, 16, 1, 0, 0), 'process_vm_readv': (310, 1, page, 1, page, 1, 0),
  'bpf': (321, 0, page, 128), 'perf_event_open': (298, page, 0, -1, -1, 0), 'userfaultfd': (323, 0),
  'io_uring_setup': (425, 1, page), 'keyctl': (250, 0, -3, 1), 'add_key': (248, b'user', b'x', b'y', 1, -3),
  'init_module': (175, page, 4096, b''), 'finit_module': (313, 0, b'', 0), 'kexec_load': (246, 0, 0, 0, 0),
  'setuid 0': (105, 0), 'setgid 0': (106, 0), 'setgroups': (116, 0, 0), 'capset': (126, page, page),
  'settimeofday': (164, page, 0), 'clock_settime': (227, 0, page), 'sethostname': (170, b'x', 1), 'reboot': (169, 0, 0, 0, 0),
  'swapon': (167, b'/x', 0), 'open_by_handle_at': (304, -100, page, 0), 'open_tree': (428, -100, b'/', 0),
  'fsopen': (430, b'tmpfs', 0), 'syslog': (103, 3, page, 4096), 'acct': (163, b'/tmp/x'), 'quotactl': (179, 0, 0, 0, 0),
  'mknod device': (133, b'/tmp/dev', 0o20666, 0x103)}
for name, (number, *arguments) in calls.items():
    result = libc.syscall(number, *arguments)
    if name == 'clone newuser' and result == 0: os._exit(0)
    if result != -1: print('ALLOWED', name, result)
print(len(calls), 'calls made')
"""


@test("calls that could widen the box are refused")
def forbidden_calls(t):
    run = t.exec("-c", FORBIDDEN)
    t.ended(run, 0)
    t.lacks("stdout", run.text, "ALLOWED")
    t.has("stdout", run.text, "calls made")


@test("the box's own keeper cannot be read, stopped or killed")
def keeper(t):
    code = ("import os,signal\nfor n in (0,signal.SIGSTOP,signal.SIGKILL,signal.SIGTERM):\n"
            "    try: os.kill(1,n); print('sent',n)\n    except OSError: pass\n"
            "for p in ('/proc/1/environ','/proc/1/maps','/proc/1/mem','/proc/1/root/etc','/proc/1/fd'):\n"
            "    try: os.listdir(p) if p.endswith(('fd','etc')) else open(p,'rb').read(1); print('read',p)\n    except OSError: pass\n"
            "print('end')\n")
    run = t.exec("-c", code)
    t.ended(run, 0)
    t.lacks("stdout", run.text, "read")
    t.has("stdout", run.text, "end")


@test("two boxes cannot meet")
def two_boxes(t):
    word = "pybox" + t.nonce()
    first = (f"import socket,time\nfrom multiprocessing.shared_memory import SharedMemory\nopen('/tmp/{word}','w').write('x')\n"
             f"s=SharedMemory('{word}',create=True,size=64); a=socket.socket(socket.AF_UNIX); a.bind('\\0{word}'); a.listen()\n"
             "print('up',flush=True); time.sleep(25)\n")
    second = (f"import os,socket\nfrom multiprocessing.shared_memory import SharedMemory\n"
              f"print(os.path.exists('/tmp/{word}'))\ntry: SharedMemory('{word}'); print('shared')\nexcept OSError: print('apart')\n"
              f"b=socket.socket(socket.AF_UNIX)\ntry: b.connect('\\0{word}'); print('met')\nexcept OSError: print('apart')\n")
    control = t.exec("-c", first.replace("time.sleep(25)", "") + second)
    t.equal("control: in one box, all three are found", control.text, "up\nTrue\nshared\nmet\n")
    running = t.start(*t.exec_words("-c", first, limit_s=28, receipt=t.folder / "first.json"))
    t.equal("the first is up", running.stdout.read(3), b"up\n")
    run = t.exec("-c", second)
    running.terminate()
    running.communicate(timeout=60)
    t.ended(run, 0)
    t.equal("inside the second", run.text, "False\napart\napart\n")


@test("nothing of one run is seen by the next")
def fresh(t):
    word = t.nonce()
    first = t.exec("-c", f"import os\nopen('/tmp/{word}','w').write('x'); open(os.path.expanduser('~/{word}'),'w').write('x'); print('made')")
    t.ended(first, 0)
    run = t.exec("-c", f"import os,uuid\nprint(os.listdir('/tmp'), os.listdir(os.path.expanduser('~')), uuid.uuid4().hex, hash('x'), id(object()))")
    again = t.exec("-c", f"import os,uuid\nprint(os.listdir('/tmp'), os.listdir(os.path.expanduser('~')), uuid.uuid4().hex, hash('x'), id(object()))")
    t.ended(run, 0)
    t.lacks("files", run.text, word)
    t.check("randomness differs between runs", run.text.split()[-3:] != again.text.split()[-3:], run.text)
    for got, other in zip(run.text.split()[-3:-1], again.text.split()[-3:-1]):
        t.check("unique id and hash seed differ", got != other, got)
