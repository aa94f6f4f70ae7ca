# Calls getpid by the 32-bit entry (int 0x80, where it is number 20), in a child, past a filter that looks at
# 64-bit numbers only.
import ctypes
import mmap
import os
import signal

code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(b"\x53\xb8\x14\x00\x00\x00\xcd\x80\x5b\xc3")  # push rbx; mov eax, 20; int 0x80; pop rbx; ret
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))

reader, writer = os.pipe()
child = os.fork()
if child == 0:
    os.write(writer, str(call()).encode())
    os._exit(0)
os.close(writer)
said = os.read(reader, 100).decode()
status = os.waitpid(child, 0)[1]
if os.WIFSIGNALED(status):
    end(signal.Signals(os.WTERMSIG(status)).name)
end("reached" if said == str(child) else "wrong answer", said)
