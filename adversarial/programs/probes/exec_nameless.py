# Executes a program by descriptor alone (execveat with an empty path), in a child.
import ctypes
import os

AT_EMPTY_PATH = 0x1000
word = ASK["nonce"]
words = [b"python3", b"-I", b"-c", b"print(%r)" % word]
argv = (ctypes.c_char_p * (len(words) + 1))(*words, None)
environment = (ctypes.c_char_p * 1)(None)
reader, writer = os.pipe()
child = os.fork()
if child == 0:
    os.dup2(writer, 1)
    fd = os.open("/usr/bin/python3", os.O_PATH)
    try:
        syscall(322, fd, b"", argv, environment, AT_EMPTY_PATH)
    except OSError as error:
        os.write(writer, name_of(error.errno).encode())
    os._exit(1)
os.close(writer)
said = os.read(reader, 100).decode().strip()
os.waitpid(child, 0)
end("reached" if said == word else said, said)
