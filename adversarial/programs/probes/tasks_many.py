# Starts tasks that wait, up to twice the limit: children, or threads of one process.
import os
import threading

most, how = 2 * ASK["args"]["limit"], ASK["args"]["how"]
hold = os.pipe()  # all of them wait for its end
stop = threading.Event()
started = 0


def child():
    if os.fork() == 0:
        os.close(hold[1])
        os.read(hold[0], 1)
        os._exit(0)


def thread():
    try:
        threading.Thread(target=stop.wait, daemon=True).start()
    except RuntimeError as error:  # "can't start new thread"
        raise OSError(11, str(error)) from error


signature = "reached"
while started < most and signature == "reached":
    signature, _ = attempt(child if how == "children" else thread)
    started += signature == "reached"
stop.set()
os.close(hold[1])
end(signature, f"{started} started")
