# Reads what /proc tells of the kernel and of everybody.
NAMES = ["kallsyms", "keys", "timer_list", "interrupts", "meminfo", "loadavg", "modules", "kcore", "kmsg", "sched_debug",
         "scsi/scsi", "acpi/wakeup", "iomem", "partitions", "diskstats", "locks", "cmdline", "sysvipc/shm", "bus", "fs"]


def read(name):
    with open("/proc/" + name, "rb") as file:
        return len(file.read(4096))


seen = {name: attempt(read, name) for name in NAMES}
told = {name: size for name, (signature, size) in seen.items() if signature == "reached" and size}
if told:
    end("reached", told)
end(seen["kallsyms"][0], None, seen={name: signature for name, (signature, _) in seen.items()})
