# Makes a set-id program of the box's uid 0, where it has the right to, and runs it.
import os
import shutil
import subprocess

PATH = "/tmp/id"


def run():
    shutil.copyfile("/usr/bin/id", PATH)
    os.chown(PATH, 0, 0)
    os.chmod(PATH, 0o4755)
    return subprocess.run([PATH, "-u"], capture_output=True, text=True, check=True).stdout.strip()


signature, proof = attempt(run)
if signature == "reached" and proof != "0":
    end("ignored", proof)
end(signature, proof)
