#include "boxd/prefault.hpp"

#include <catch2/catch_test_macros.hpp>

#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox::guest {
namespace {

namespace fs = std::filesystem;

TEST_CASE("what every run needs is read, what none needs is not") {
  const fs::path root = fs::temp_directory_path() / ("prefault-" + random_hex(6));
  fs::create_directories(root / "usr/bin");
  fs::create_directories(root / "usr/lib/python3.13/test/__pycache__");
  fs::create_directories(root / "usr/lib/python3.13/__pycache__");
  const auto write = [&](const char* name, std::size_t size) {
    REQUIRE(sys::replace_file(root / name, std::string(size, 'x')));
  };
  write("usr/bin/python3.13", 1000);
  write("usr/bin/cat", 20);
  write("usr/lib/libm.so.6", 300);
  write("usr/lib/python3.13/os.py", 50);
  write("usr/lib/python3.13/__pycache__/os.cpython-313.pyc", 7);
  write("usr/lib/python3.13/test/__pycache__/big.cpython-313.pyc", 9000);
  fs::create_symlink("/etc/passwd", root / "usr/lib/out.so");
  CHECK(prefault(root, 1_MiB).count == 1307);
  CHECK(prefault(root, 0_B).count == 0);
  CHECK(prefault(root / "absent", 1_MiB).count == 0);
  fs::remove_all(root);
}

}  // namespace
}  // namespace pybox::guest
