# Looks for a server outside in the tables of /proc/self/net.
PORT = ASK["world"]["tcp"][1]


def listening():
    with open("/proc/self/net/tcp") as table:
        return [line.split()[1] for line in table if line.split()[1].endswith(f":{PORT:04X}")]


signature, found = attempt(listening)
if signature == "reached" and not found:
    end("absent")
end(signature, found)
