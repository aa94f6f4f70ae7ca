"""Takes the modules that a guest loads out of an unpacked kernel package.

Arguments: the package's folder …/modules/RELEASE, the folder for the plain modules, the names that
every guest wants, and those that a builder wants too, each with commas between. Each file written is
named on a line of its own, after those it depends on, a builder's as builder/NAME.
"""

import lzma
import os
import re
import sys


def module_name(file):
    """As the kernel writes it: no path, no .ko suffix, '-' as '_'."""
    return os.path.basename(file.strip()).split(".ko")[0].replace("-", "_")


def dependencies_in(module):
    """The names after "depends=" in the .modinfo section, which is where depmod has them from."""
    found = re.search(rb"\0depends=([^\0]*)\0", module)
    return [module_name(name) for name in found[1].decode().split(",") if name] if found else []


def plain(path):
    """Debian packs modules with xz; a plain one is taken as it is."""
    if not path.endswith((".ko", ".ko.xz")):
        raise SystemExit("a kernel module is packed in a way PyBox does not know: " + path)
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as file:
        return file.read()


def load_order(files, built_in, wanted, read):
    """{name: bytes} in load order, built-in ones left out."""
    done = {}

    def add(name, above):
        if name in built_in or name in done:
            return
        if name not in files:
            raise SystemExit(f"the kernel package has no module `{name}`")
        if name in above:
            raise SystemExit(f"kernel modules depend on each other in a circle at `{name}`")
        module = read(files[name])
        for needed in dependencies_in(module):
            add(needed, (*above, name))
        done[name] = module

    for name in wanted:
        add(name, ())
    return done


def main(folder, out, every, builders):
    with open(os.path.join(folder, "modules.builtin"), encoding="utf-8") as file:
        built_in = {module_name(line) for line in file}
    files = {module_name(name): os.path.join(path, name)
             for path, _, names in os.walk(folder) for name in names if ".ko" in name}
    wanted = every.split(",")
    of_every = load_order(files, built_in, wanted, plain)
    for name, module in load_order(files, built_in, wanted + builders.split(","), plain).items():
        with open(os.path.join(out, name + ".ko"), "xb") as file:
            file.write(module)
        print(("" if name in of_every else "builder/") + name + ".ko")


if __name__ == "__main__":
    main(*sys.argv[1:])
