# Dumps the interfaces over a route netlink socket: a request and an answer from the kernel's network core.
import socket
import struct

RTM_GETLINK, RTM_NEWLINK, NLM_F_REQUEST_DUMP = 18, 16, 0x301


def dump():
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as s:
        s.settimeout(3)
        body = struct.pack("=BBHiII", 0, 0, 0, 0, 0, 0)
        s.send(struct.pack("=IHHII", 16 + len(body), RTM_GETLINK, NLM_F_REQUEST_DUMP, 1, 0) + body)
        answer = s.recv(65536)
    if struct.unpack_from("=IH", answer)[1] != RTM_NEWLINK:
        end("no answer", answer[:40].hex())
    return f"{len(answer)} bytes of link messages"


signature, proof = attempt(dump)
end(signature, proof)
