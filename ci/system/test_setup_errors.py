"""What `pybox setup` says and leaves when it cannot do its work."""

import http.server
import os
import pathlib
import subprocess
import threading

from harness import NO_ENGINE, test
from homes import BUILD_S, OFFLINE, image_of, leftovers, new_home, rewrite


def refused(t, run, exit_code, *parts):
    t.equal("exit code", run.exit, exit_code)
    for part in parts:
        t.has("message", run.errors, part)
    t.equal("nothing on stdout", run.out, b"")


@test("words that set-up cannot serve are refused before anything is touched", engines=NO_ENGINE)
def wrong_words(t):
    t.home = t.folder / "never"
    refused(t, t.pybox("setup", "--yes", "--mirror", "ftp//nowhere"), 2, "--mirror wants the URL of a Debian mirror")
    refused(t, t.pybox("setup", "--yes", "--mirror", "http://m.example/debian [trusted=yes]"), 2, "--mirror")
    refused(t, t.pybox("setup", "--yes", "--python", "3.12"), 126, "3.13, 3.14 and 3.15")
    refused(t, t.pybox("setup", "--yes", "--with", "science"), 2, "`science`")
    t.check("no home was made", not t.home.exists())


@test("without network and without packages set-up says so", engines=NO_ENGINE)
def no_network(t):
    t.home = t.folder / "own"
    refused(t, t.pybox("setup", "--yes", env=OFFLINE), 125, "cannot be reached: no network", "--mirror")
    refused(t, t.pybox("setup", "--yes", "--mirror", "http://127.0.0.1:1/debian"), 125, "http://127.0.0.1:1/debian cannot be reached")
    t.equal("leftovers", leftovers(t.home), [])


@test("a damaged package in the cache is never used", engines=NO_ENGINE)
def damaged_package(t):
    home = new_home(t)
    package = next(home.glob("cache/archives/base-files_*.deb"))
    rewrite(package, lambda data: data[:-1] + bytes([data[-1] ^ 1]))
    home.joinpath("cache/archives").chmod(0o700)
    refused(t, t.pybox("setup", "--yes", env=OFFLINE, patience_s=BUILD_S), 125, "cannot be reached")
    t.check("it is gone", not package.exists())
    t.check("no image was made", not image_of(home).exists())


class Mirror(http.server.BaseHTTPRequestHandler):
    """Serves what `files` of the server holds; everything else is not there."""

    def do_GET(self):
        body = self.server.files.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_):
        pass


@test("a server that is not a mirror, or that Debian did not sign, is refused", engines=NO_ENGINE)
def bad_mirrors(t):
    t.home = t.folder / "own"
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Mirror)
    server.files = {}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/debian"
    refused(t, t.pybox("setup", "--yes", "--mirror", url), 125, f"{url} is not a mirror of Debian 13")
    server.files["/debian/dists/trixie/InRelease"] = b"<html>please log in</html>"
    refused(t, t.pybox("setup", "--yes", "--mirror", url), 125, f"{url} is not a mirror of Debian 13")
    signed = next(p for p in (t.setting.home / "cache/lists").glob("*dists_trixie_InRelease")).read_bytes()
    server.files["/debian/dists/trixie/InRelease"] = signed.replace(b"Origin: Debian", b"Origin: Debiam", 1)
    refused(t, t.pybox("setup", "--yes", "--mirror", url), 125, "is not signed by Debian's archive keys")
    refused(t, t.pybox("setup", "--yes", "--mirror", f"file://{t.folder}"), 125, "is not a mirror of Debian 13")
    server.shutdown()
    t.equal("leftovers", leftovers(t.home), [])
    t.check("no image was made", not image_of(t.home).exists())


@test("a home that cannot be written is named", engines=NO_ENGINE)
def unwritable_home(t):
    t.home = pathlib.Path("/proc/pybox")
    refused(t, t.pybox("setup", "--yes"), 125, "/proc/pybox", "PYBOX_HOME")


def in_private_mounts(t, script):
    """Runs a script as root of its own user and mount namespaces; its output and exit code."""
    words = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), "sh", "-euc", script]
    done = subprocess.run(words, capture_output=True, cwd=t.folder, timeout=BUILD_S, text=True,
                          env={**t.environment(), **OFFLINE, "PYBOX": str(t.setting.pybox)})
    return done.returncode, done.stdout + done.stderr


@test("missing tools are named with the packages that bring them", engines=NO_ENGINE)
def missing_tools(t):
    t.home = t.folder / "own"
    hide = "for tool in mmdebstrap mkfs.erofs; do mount --bind /dev/null \"$(command -v $tool)\"; done; "
    code, said = in_private_mounts(t, hide + '"$PYBOX" setup --yes')
    t.equal("exit code", code, 125)
    t.has("message", said, "`mmdebstrap`, `mkfs.erofs` are not installed")
    t.has("hint", said, "apt-get install erofs-utils mmdebstrap")
    code, said = in_private_mounts(t, 'mount -t tmpfs none /usr/share/keyrings; "$PYBOX" setup --yes')
    t.equal("exit code", code, 125)
    t.has("message", said, "apt-get install debian-archive-keyring")


@test("too small a disk is refused at once, and one that fills up is named", engines=NO_ENGINE, timeout_s=300)
def no_space(t):
    home = new_home(t)
    code, said = in_private_mounts(t, 'mount -t tmpfs -o mode=700,size=100m none "$PYBOX_HOME"; "$PYBOX" setup --yes')
    t.equal("exit code on a small disk", code, 125)
    t.has("message", said, "not enough space: set-up needs")
    # The disk is large enough at first; somebody else fills it while packages are unpacked.
    code, said = in_private_mounts(
        t,
        'cp -r "$PYBOX_HOME" copy; mount -t tmpfs -o mode=700,size=600m none "$PYBOX_HOME"; cp -r copy/. "$PYBOX_HOME"\n'
        '"$PYBOX" setup --yes 2>said & setup=$!\n'
        'until grep -q "^checking cached" said; do kill -0 $setup; sleep 0.02; done\n'
        'cat /dev/zero >"$PYBOX_HOME/filler" 2>/dev/null || true\n'
        'wait $setup || code=$?; cat said; ls -A "$PYBOX_HOME/cache" "$PYBOX_HOME/images"; exit ${code:-0}')
    t.equal("exit code on a full disk", code, 125)
    t.has("message", said, "no space left on the disk")
    t.has("hint", said, "then run `pybox setup` again")
    t.lacks("work folders", said, "work-")
    t.check("nothing was built in the home itself", not image_of(home).exists())
