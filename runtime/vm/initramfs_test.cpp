#include "vm/initramfs.hpp"

#include <catch2/catch_test_macros.hpp>

#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox::vm {

TEST_CASE("an archive is the newc format, byte for byte") {
  const std::string archive = write_archive({{"init", 0100755, "abc"}});
  CHECK(archive == std::string("070701"
                               "00000001"
                               "000081ed"
                               "00000000"
                               "00000000"
                               "00000001"
                               "00000000"
                               "00000003"
                               "00000000"
                               "00000000"
                               "00000000"
                               "00000000"
                               "00000005"
                               "00000000"
                               "init\0\0"
                               "abc\0"
                               "070701"
                               "00000000"
                               "00000000"
                               "00000000"
                               "00000000"
                               "00000001"
                               "00000000"
                               "00000000"
                               "00000000"
                               "00000000"
                               "00000000"
                               "00000000"
                               "0000000b"
                               "00000000"
                               "TRAILER!!!\0\0\0\0",
                               110 + 6 + 4 + 110 + 14));
}

TEST_CASE("every header and every content begins at a multiple of four") {
  for (std::size_t name = 1; name < 9; ++name) {
    for (std::size_t size = 0; size < 9; ++size) {
      const std::string archive =
          write_archive({{std::string(name, 'n'), 0100644, std::string(size, 'c')}});
      CHECK(archive.size() % 4 == 0);
      const std::size_t content = archive.find('c');
      CHECK((size == 0 || content % 4 == 0));
      CHECK(archive.rfind("070701") % 4 == 0);
    }
  }
}

TEST_CASE("the same entries give the same bytes") {
  const std::vector<ArchiveEntry> entries = {{"init", 0100755, "x"}, {"d", 0040755, ""}};
  CHECK(sha256_hex(write_archive(entries)) == sha256_hex(write_archive(entries)));
}

TEST_CASE("only the loadable part of a program is taken") {
  const std::string self = sys::read_file("/proc/self/exe", 512_MiB).value();
  const std::string_view part = loadable_part(self);
  CHECK(part.size() < self.size());
  CHECK(part.size() > 4096);
  CHECK(loadable_part("no program") == "no program");
  // Headers that point outside the file are left to the kernel to refuse.
  const std::string bent = self.substr(0, 4096);
  CHECK(loadable_part(bent) == bent);
}

TEST_CASE("a module that is missing is named") {
  Config config;
  config.boxd = "/proc/self/exe";
  config.modules = {"/nowhere/x.ko"};
  const auto made = compose_initramfs(config);
  REQUIRE_FALSE(made);
  CHECK(made.error().message().find("/nowhere/x.ko") != std::string::npos);
}

}  // namespace pybox::vm
