"""A package index of a test's own, on the loopback, with wheels and sources made here."""

import hashlib
import http.server
import io
import tarfile
import threading
import zipfile


def wheel(name, version, files, tags="py3-none-any"):
    """(file name, bytes) of a wheel with these files."""
    info = f"{name}-{version}.dist-info"
    content = {**files, f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
               f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tags}\n"}
    content[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*content, f"{info}/RECORD"])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, text in content.items():
            archive.writestr(zipfile.ZipInfo(path), text)
    return f"{name}-{version}-{tags}.whl", out.getvalue()


def source(name, version, setup_py):
    """(file name, bytes) of a source distribution with this build script."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for path, text in {"setup.py": setup_py,
                           "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"}.items():
            entry = tarfile.TarInfo(f"{name}-{version}/{path}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return f"{name}-{version}.tar.gz", out.getvalue()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        parts = self.path.strip("/").split("/")
        body, kind = None, "application/octet-stream"
        if parts[0] == "simple" and len(parts) == 2 and parts[1] in self.server.projects:
            links = "".join(f'<a href="/files/{name}">{name}</a>\n' for name in self.server.projects[parts[1]])
            body, kind = f"<!DOCTYPE html><html><body>{links}</body></html>".encode(), "text/html"
        elif parts[0] == "files" and len(parts) == 2:
            body = self.server.files.get(parts[1])
        self.send_response(200 if body is not None else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_):
        pass


class Index:
    """with Index() as index: …"""

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.projects, self.server.files = {}, {}
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    @property
    def env(self):
        return {"PIP_INDEX_URL": f"http://127.0.0.1:{self.server.server_port}/simple", "PIP_RETRIES": "0"}

    def add(self, project, made):
        """Serves a file of a project; returns its SHA-256."""
        name, content = made
        self.server.projects.setdefault(project, []).append(name)
        self.server.files[name] = content
        return hashlib.sha256(content).hexdigest()
