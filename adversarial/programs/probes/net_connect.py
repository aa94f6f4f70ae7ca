# Reads the canary that a server outside the box hands to whoever connects.
import socket

FAMILIES = {"tcp": socket.AF_INET, "tcp6": socket.AF_INET6, "abstract": socket.AF_UNIX, "unix": socket.AF_UNIX}


def read(kind):
    where = ASK["world"][kind]
    address = tuple(where) if isinstance(where, list) else where
    with socket.socket(FAMILIES[kind], socket.SOCK_STREAM) as s:
        s.settimeout(3)
        s.connect(address)
        return s.recv(200).decode()


signature, proof = attempt(read, ASK["args"]["kind"])
end(signature, proof)
