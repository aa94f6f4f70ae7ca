# Reads the canary that a server outside the box hands to whoever connects (udp: to whoever asks).
import socket

FAMILIES = {"tcp": socket.AF_INET, "tcp6": socket.AF_INET6, "host": socket.AF_INET,
            "metadata": socket.AF_INET, "udp": socket.AF_INET, "abstract": socket.AF_UNIX,
            "unix": socket.AF_UNIX, "vsock": socket.AF_VSOCK}


def read(kind):
    where = ASK["world"][kind]
    address = tuple(where) if isinstance(where, list) else where
    with socket.socket(FAMILIES[kind], socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM) as s:
        s.settimeout(3)
        s.connect(address)
        if kind == "udp":
            s.send(b"?")
        return s.recv(200).decode()


if ASK["args"]["kind"] not in ASK["world"]:
    end("not-planted")
signature, proof = attempt(read, ASK["args"]["kind"])
end(signature, proof)
