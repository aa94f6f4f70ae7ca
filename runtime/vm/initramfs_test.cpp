#include "vm/initramfs.hpp"

#include <catch2/catch_test_macros.hpp>

#include "sys/file.hpp"

namespace pybox {
namespace {

TEST_CASE("an archive is what the kernel's unpacker reads") {
  const std::string archive = vm::cpio_archive({{"d", 0040755, ""}, {"d/f", 0100644, "abc"}});
  CHECK(archive.substr(0, 14) == "07070100000001");
  CHECK(archive.size() % 4 == 0);
  // mode and size of the second entry: header 110 bytes, name "d\0" padded to 112
  CHECK(archive.substr(112, 6) == "070701");
  CHECK(archive.substr(112 + 14, 8) == "000081a4");
  CHECK(archive.substr(112 + 54, 8) == "00000003");
  CHECK(archive.substr(112 + 110, 3) == "d/f");
  CHECK(archive.find("TRAILER!!!") != std::string::npos);
  CHECK(archive == vm::cpio_archive({{"d", 0040755, ""}, {"d/f", 0100644, "abc"}}));
}

TEST_CASE("only the loadable part of a program is taken") {
  const std::string self = sys::read_file("/proc/self/exe", 512_MiB).value();
  const std::string_view part = vm::loadable_part(self);
  CHECK(part.size() < self.size());
  CHECK(part.size() > 4096);
  CHECK(vm::loadable_part("no program") == "no program");
  // Headers that point outside the file are left to the kernel to refuse.
  std::string bent = self.substr(0, 4096);
  CHECK(vm::loadable_part(bent) == bent);
}

TEST_CASE("a module that is missing is named") {
  const auto made = vm::make_initramfs({"/proc/self/exe", {"/nowhere/x.ko"}, {}});
  REQUIRE_FALSE(made);
  CHECK(made.error().message().find("/nowhere/x.ko") != std::string::npos);
}

}  // namespace
}  // namespace pybox
