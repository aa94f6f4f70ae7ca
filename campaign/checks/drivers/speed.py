"""Whether the times that PyBox tells are true, and whether cold is cold. Only bounds that causes give are looked at,
never how long something took: a slow machine changes no answer.

The control of `clock` takes the times from the receipt of another run, that of `cold` takes the two runs in the
other order; both must be called `reached`."""

import json

import prelude
from prelude import ASK, end, is_control

# Slept by the program's own clock, so that a receipt of no time at all cannot fit.
SLEPT = "import time; began = time.monotonic(); time.sleep({s}); print(time.monotonic() - began)"
# man 5 proc: field 22 of stat is when the process started, in ticks since the machine did.
STARTED = ("import json, os, time\ntime.sleep(0.3)\n"
           "ticks = int(open('/proc/self/stat').read().rpartition(')')[2].split()[19])\n"
           "print(json.dumps([ticks / os.sysconf('SC_CLK_TCK'), 1 / os.sysconf('SC_CLK_TCK'),"
           " time.clock_gettime(time.CLOCK_BOOTTIME)]))")
# Receipts tell times in whole microseconds.
ROUNDED_S = 2e-6
STAGES = ("queue", "prepare", "seal", "start", "run", "collect", "cleanup")


def cold_run(code):
    done = prelude.run(code, "--cold")
    if done.exit != 0 or not done.receipt or not done.receipt["seal"]["verified"]:
        end("failed", done.said()[-300:])
    return done


def clock():
    slept = cold_run(SLEPT.format(s=0.3))
    inside = float(slept.out)
    # A run that sleeps for longer than the judged one took in all: on no machine can its receipt fit.
    judged = cold_run(SLEPT.format(s=slept.wall_s + 0.2)) if is_control() else slept
    told, stages = judged.receipt["outcome"]["wall_s"], judged.receipt["timing"]
    times = [stages[name] for name in STAGES if stages[name] is not None]
    detail = {"inside": inside, "told": told, "total_ms": stages["total"], "outside": slept.wall_s}
    if min(times) < 0 or sum(times) > stages["total"] + len(times) * ROUNDED_S * 1000:
        end("reached", "the stages are longer than the whole", **detail)
    if told < inside - ROUNDED_S:
        end("reached", "the receipt tells less than the program's own clock", **detail)
    if told > stages["total"] / 1000 + ROUNDED_S or stages["total"] / 1000 > slept.wall_s + ROUNDED_S:
        end("reached", "the receipt tells more than the clock outside", **detail)
    end("between", **detail)


def cold():
    first, second = (json.loads(cold_run(STARTED).out) for _ in range(2))
    if is_control():
        first, second = second, first
    started, tick, _ = second
    end("after" if started + tick >= first[2] else "reached", [first, second])


prelude.main(lambda: {"clock": clock, "cold": cold}[ASK["args"]["what"]]())
