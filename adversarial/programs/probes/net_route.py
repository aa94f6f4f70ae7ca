# Asks the kernel whether there is a way to an address. Connecting a datagram socket looks the route up and
# sends nothing.
import socket


def way_to(address):
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.connect((address, 9))
        return s.getsockname()[0]


signature, proof = attempt(way_to, ASK["args"]["to"])
end(signature, proof)
