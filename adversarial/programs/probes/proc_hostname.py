# Reads the name of the machine.
import os
import socket

seen = {os.uname().nodename, socket.gethostname()}
outside = ASK["world"]["hostname"]
if outside in seen and outside != "pybox":
    end("reached", outside)
end(" ".join(sorted(seen)), None)
