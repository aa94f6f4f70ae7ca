# What every program may do with files.
import os
import shutil
import subprocess
import tempfile

with tempfile.NamedTemporaryFile(dir="/tmp") as file:
    file.write(b"x" * 10_000_000)
    file.flush()
    if os.stat(file.name).st_size != 10_000_000:
        end("short")
os.makedirs("/tmp/output/a/b")
shutil.copyfile("/etc/os-release", "/tmp/output/a/b/c")
os.rename("/tmp/output/a/b/c", "/tmp/output/d")
with open("/dev/urandom", "rb") as random:
    random.read(16)
said = subprocess.run(["/usr/bin/echo", ASK["nonce"]], capture_output=True, text=True).stdout.strip()
end("works" if said == ASK["nonce"] else "no child")
