# Writes more than twice what is kept of a stream, in lines or without any.
import os

args = ASK["args"]
chunk = (b"x" * 99 + b"\n" if args["lines"] else b"x" * 100) * 10
for _ in range(2 * args["limit"] // len(chunk) + 1):
    os.write(args["stream"], chunk)
end("reached", args["limit"])
