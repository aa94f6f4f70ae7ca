# Runs before every probe, in the same file. The runner puts `ASK = {...}` in front of it:
#   ASK["nonce"]  to be handed back, so that a line can be told from any other output
#   ASK["args"]   what the check's table `ask` holds
#   ASK["world"]  what is planted outside the box and where: see docs/evidence.md
# A probe ends by calling end() exactly once. It limits itself: whatever it fills, forks or burns, it
# stops at twice the limit it tests.
import errno
import json
import sys


def end(signature, proof=None, **detail):
    """Says what was seen, in one word: "reached", an errno's name or what the check's table calls it."""
    line = {"nonce": ASK["nonce"], "signature": signature, "proof": proof, "detail": detail}
    sys.stdout.write("\n" + json.dumps(line) + "\n")
    sys.stdout.flush()
    raise SystemExit(0)


def name_of(number):
    return errno.errorcode.get(number, f"errno {number}")


def attempt(function, *arguments):
    """("reached", result) or (the error's name, None)."""
    try:
        return "reached", function(*arguments)
    except OSError as error:
        return name_of(error.errno), None
    except MemoryError:
        return "MemoryError", None


def syscall(number, *arguments):
    """The raw call: its result, or OSError."""
    import ctypes
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    result = call(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, name_of(number))
    return result
