"""Which modules of a kernel a guest gets, and in which order."""

import contextlib
import io
import lzma
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import kernel_modules  # noqa: E402  (beside this file)


def with_depends(names):
    return b"\x7fELF license=GPL\0depends=" + names.encode() + b"\0retpoline=Y\0"


def order_of(depends, built_in, *wanted):
    return list(kernel_modules.load_order({name: name for name in depends}, built_in, wanted,
                                          lambda name: with_depends(depends[name])))


class KernelModules(unittest.TestCase):
    def test_a_modules_name_is_what_the_kernel_calls_it(self):
        self.assertEqual(kernel_modules.module_name("kernel/drivers/char/hw_random/virtio-rng.ko.xz\n"), "virtio_rng")

    def test_dependencies_come_from_modinfo(self):
        self.assertEqual(kernel_modules.dependencies_in(with_depends("scsi_mod,scsi-common")), ["scsi_mod", "scsi_common"])
        self.assertEqual(kernel_modules.dependencies_in(with_depends("")), [])
        self.assertEqual(kernel_modules.dependencies_in(b"no modinfo at all"), [])

    def test_modules_load_after_what_they_depend_on_once_and_without_what_is_compiled_in(self):
        depends = {"virtio_scsi": "scsi_mod", "sd_mod": "scsi_mod,scsi_common", "scsi_mod": "scsi_common",
                   "scsi_common": "", "erofs": "crc32c"}
        self.assertEqual(order_of(depends, {"crc32c"}, "virtio_scsi", "sd_mod", "erofs", "crc32c"),
                         ["scsi_common", "scsi_mod", "virtio_scsi", "sd_mod", "erofs"])

    def test_a_missing_module_and_a_circle_are_named(self):
        with self.assertRaisesRegex(SystemExit, "no module `crc32c`"):
            order_of({"erofs": "crc32c"}, set(), "erofs")
        with self.assertRaisesRegex(SystemExit, "in a circle at `a`"):
            order_of({"a": "b", "b": "a"}, set(), "a")

    def test_packed_and_plain_modules_are_written_plain(self):
        with tempfile.TemporaryDirectory() as folder:
            root, out = pathlib.Path(folder, "6.12"), pathlib.Path(folder, "out")
            (root / "kernel").mkdir(parents=True)
            out.mkdir()
            (root / "modules.builtin").write_text("kernel/lib/crc-32.ko\n")
            (root / "kernel/a.ko.xz").write_bytes(lzma.compress(with_depends("b,crc-32")))
            (root / "kernel/b.ko").write_bytes(with_depends(""))
            (root / "kernel/d.ko").write_bytes(with_depends("b"))
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                kernel_modules.main(str(root), str(out), "a", "d")
            self.assertEqual(said.getvalue(), "b.ko\na.ko\nbuilder/d.ko\n")
            self.assertEqual({file.name: file.read_bytes() for file in out.iterdir()},
                             {"a.ko": with_depends("b,crc-32"), "b.ko": with_depends(""), "d.ko": with_depends("b")})
            (root / "kernel/c.ko.zst").write_bytes(b"")
            with self.assertRaisesRegex(SystemExit, "packed in a way"):
                kernel_modules.main(str(root), str(out), "a,c", "d")


if __name__ == "__main__":
    unittest.main()
