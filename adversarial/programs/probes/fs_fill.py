# Fills what the box may write. ask.what: "bytes" of /tmp, "names" (empty files, folders, links), "file" (one file
# beyond the largest size). Stops as soon as ask.beyond is exceeded.
import os

BEYOND = ASK["args"]["beyond"]
MIB = bytes(1 << 20)


def fill_bytes():
    """In files of 16 MiB, so that the limit of one file is not what stops it."""
    done = 0
    while done <= BEYOND:
        with open(f"/tmp/fill{done >> 24}", "ab", 0) as file:
            done += file.write(MIB)
    return os.statvfs("/tmp").f_blocks * os.statvfs("/tmp").f_frsize


def fill_names():
    os.mkdir("/tmp/names")
    os.chdir("/tmp/names")
    for i in range(BEYOND + 1):
        (lambda: os.close(os.open(f"f{i}", os.O_CREAT | os.O_WRONLY)), lambda: os.mkdir(f"d{i}"),
         lambda: os.symlink("x", f"s{i}"))[i % 3]()
    return len(os.listdir("."))


def beyond_one_file():
    with open("/tmp/file", "wb", 0) as file:
        file.seek(BEYOND)
        file.write(b"x")
    return os.stat("/tmp/file").st_size


end(*attempt({"bytes": fill_bytes, "names": fill_names, "file": beyond_one_file}[ASK["args"]["what"]]))
