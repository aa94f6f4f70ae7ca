"""Limits as the kernel enforces them, and what the receipt shows of them."""

from concurrent.futures import ThreadPoolExecutor

from harness import NATIVE, Pulse, test

MIB = 1 << 20


@test("a sleeping program is stopped at its limit")
def deadline(t):
    with Pulse() as pulse:
        run = t.exec("-c", "import time; time.sleep(8)", limit_s=0.4)
    t.ended(run, 124, "SUPERVISOR_KILL_OBSERVED")
    t.receipt(run, outcome__signal=9, outcome__exit_code=137, outcome__deadline_fired=True,
              outcome__box_timer_fired=False)
    t.soon("wall_s of the receipt", run.get("outcome.wall_s"), 0.4 + (1.5 if t.slow else 0.15), pulse, low=0.4)


@test("the deadline is met again and again", engines=NATIVE, serial=True, guest=False)
def deadline_spread(t):
    for number in range(10):
        with Pulse() as pulse:
            run = t.exec("-c", "while True: pass", limit_s=0.3)
        t.ended(run, 124, "SUPERVISOR_KILL_OBSERVED")
        t.soon(f"wall_s of run {number}", run.get("outcome.wall_s"), 0.45, pulse, low=0.3)


@test("an exit at the very deadline has one cause")
def deadline_race(t):
    # How long it takes from the start of the clock to the program's first line is what this machine makes of it.
    starts = [t.time_to_reach("pass") for _ in range(3)]
    last = max(0.0, 1.0 - sorted(starts)[1])

    def at_the_deadline(number):
        """Ends between 50 ms before and 50 ms after."""
        return t.exec("-c", f"import time; time.sleep({max(0, last + (number - 10) / 200):.4f})", limit_s=1.0,
                      receipt=t.folder / f"receipt-{number}.json")

    seen = set()
    with ThreadPoolExecutor(2 if t.slow else 4) as pool:
        runs = list(pool.map(at_the_deadline, range(20)))
    for run in runs:
        observation = run.get("outcome.observation")
        seen.add(observation)
        if observation == "TARGET_EXIT_OBSERVED":
            t.receipt(run, outcome__exit_code=0, outcome__signal=None)
            t.equal("exit code", run.exit, 0)
        else:
            # An emulated boxd that got no CPU for a second is overtaken by the keeper's timer.
            overtaken = t.slow and observation == "BOX_TIMER_KILL_OBSERVED"
            t.ended(run, 124, observation if overtaken else "SUPERVISOR_KILL_OBSERVED")
            t.receipt(run, outcome__exit_code=137, outcome__signal=9, outcome__deadline_fired=not overtaken,
                      outcome__box_timer_fired=overtaken)
    t.check("both ways were met", t.slow or len(seen) == 2, str(seen))


@test("a run without --timeout has two seconds")
def default_limit(t):
    with Pulse() as pulse:
        run = t.exec("-c", "import time; time.sleep(8)", limit_s=None)
    t.ended(run, 124, "SUPERVISOR_KILL_OBSERVED")
    t.soon("wall_s", run.get("outcome.wall_s"), 4.0, pulse, low=2.0)


@test("the limits in force are those of the image")
def limits_of_image(t):
    run = t.exec("-c", "print(1)")
    t.ended(run, 0)
    t.equal("limits", {k: run.get(f"request.limits.{k}") for k in ("memory_bytes", "pids", "cpu")},
            {"memory_bytes": 128 * MIB, "pids": 32, "cpu": 0.5})


STEPS = """
import time, mmap
def use(mib):
    m = mmap.mmap(-1, mib << 20)
    for i in range(0, len(m), 4096): m[i] = 1
    return m
def at(moment):
    time.sleep(max(0, moment - (time.monotonic() - began)))
began = time.monotonic()
base = use(20); print(time.monotonic() - began, flush=True); at(STEP)
print(time.monotonic() - began, flush=True); more = use(80); print(time.monotonic() - began, flush=True); at(2 * STEP)
more.close(); print(time.monotonic() - began, flush=True); at(3 * STEP)
"""


@test("steps of memory show in the series at the right times")
def memory_steps(t):
    step = 5 if t.slow else 2
    with Pulse() as pulse:
        run = t.exec("-c", STEPS.replace("STEP", str(step)), limit_s=30)
    t.ended(run, 0)
    reached, rises, risen, falls = (float(line) for line in run.text.split())
    series = run.get("kernel.series", [])
    t.within("number of samples", len(series), 20, 64)
    # The program's clock starts after its interpreter; the series starts at the go message.
    offset = run.get("outcome.wall_s") - 3 * step
    edge = 0.1 + 2 * pulse.late

    def between(begin, end):
        return [m for s, m, *_ in series if begin + offset + edge <= s <= end + offset - edge]

    for what, begin, end, low, high in (("20 MiB", reached, rises, 20, 45), ("100 MiB", risen, falls, 100, 125),
                                        ("20 MiB again", falls, 3 * step, 20, 45)):
        values = between(begin, end)
        if t.check(f"samples at {what}", len(values) >= 3, str(values)):
            t.within(f"least at {what}", min(values) / MIB, low, high)
            t.within(f"most at {what}", max(values) / MIB, low, high)
    t.within("peak in MiB", run.get("kernel.memory_peak_bytes", 0) / MIB, 100, 128)


@test("samples stand 0.05 s apart in the first second and stay within 64")
def sample_spacing(t):
    with Pulse(0.05) as pulse:
        run = t.exec("-c", "import time; time.sleep(4)", limit_s=10)
    t.ended(run, 0)
    times = [s[0] for s in run.get("kernel.series", [])]
    gaps = [b - a for a, b in zip(times, times[1:])]
    t.within("samples in all", len(times), 20, 64)
    t.check("none closer than 0.05 s", min(gaps, default=0) >= 0.0499, str(min(gaps, default=0)))
    # As many as a thread out here managed to wake that often, in its worst second.
    managed = min(len([b for b in pulse.beats if second <= b < second + 1]) for second in range(4))
    t.within(f"samples in the first second ({managed} out here)", len([s for s in times if s < 1.0]),
             min(6 if t.slow else 12, managed * 6 // 10), 21)
    t.equal("kernel.samples counts them", run.get("kernel.samples"), len(times))


@test("what the kernel counted is exact after the last process ended")
def final_readings(t):
    run = t.exec("-c", "b = bytearray(40 << 20)\nfor i in range(0, len(b), 4096): b[i] = 1\n")
    t.ended(run, 0)
    t.receipt(run, kernel__memory_peak_final=True, kernel__oom_kills=0, kernel__pids_refusals=0)
    t.within("peak in MiB, though no sample met it", run.get("kernel.memory_peak_bytes", 0) / MIB, 40, 75)
    t.within("CPU seconds", run.get("kernel.cpu_usage_s"), 0.005, 10.5)
    t.within("most processes", run.get("kernel.pids_peak"), 1, 4)


@test("one box's appetite is not another's", engines=NATIVE)
def side_by_side(t):
    import subprocess
    code = "import threading,time\nx=[threading.Thread(target=time.sleep,args=(1,)) for _ in range(25)]\n[i.start() for i in x]; [i.join() for i in x]; print('ok')\n"
    runs = [t.start(*t.exec_words("--quiet", "-c", code, receipt=t.folder / f"r{n}.json")) for n in range(4)]
    for running in runs:
        try:
            out, err = running.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            running.kill()
            out, err = running.communicate()
        t.equal("stdout of one of four at once", out, b"ok\n")
        t.equal("its exit code", running.returncode, 0)


