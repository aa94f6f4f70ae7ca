# Opens one socket of a kind that can do more than talk to servers, and asks the kernel back what it is.
import socket


def open_one(family, kind, protocol):
    with socket.socket(family, kind, protocol) as s:
        return [s.getsockopt(socket.SOL_SOCKET, option)
                for option in (socket.SO_DOMAIN, socket.SO_TYPE, socket.SO_PROTOCOL)]


args = ASK["args"]
signature, proof = attempt(open_one, args["family"], args["type"], args.get("protocol", 0))
end(signature, proof)
