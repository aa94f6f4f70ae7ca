#include "vm/saved_state.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox {
namespace {

namespace fs = std::filesystem;
using Found = vm::StateStore::Found;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("pybox-state-" + random_hex(6));
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

auto writes(const std::string& bytes) {
  return [bytes](int fd) { return sys::write_all(fd, bytes); };
}

TEST_CASE("a saved state comes back from its beginning, for its key alone") {
  const Folder folder;
  const vm::StateStore store(folder.path);
  REQUIRE(store.save("k1", writes("state of QEMU")));
  auto opened = store.open("k1");
  REQUIRE(opened.found == Found::Whole);
  CHECK(sys::read_to_end(opened.file.get(), 100)->starts_with("state of QEMU"));
  CHECK(store.open("k2").found == Found::Absent);
  struct stat info {};
  REQUIRE(::stat((folder.path / "k1.state").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
}

TEST_CASE("a new key replaces the old state") {
  const Folder folder;
  const vm::StateStore store(folder.path);
  REQUIRE(store.save("k1", writes("one")));
  REQUIRE(store.save("k2", writes("two")));
  CHECK(store.open("k1").found == Found::Absent);
  CHECK(store.open("k2").found == Found::Whole);
}

TEST_CASE("a cut or changed state is damaged, and then gone") {
  const Folder folder;
  const vm::StateStore store(folder.path);
  const fs::path file = folder.path / "k.state";
  REQUIRE(store.save("k", writes(std::string(100000, 'x'))));
  SECTION("cut") { fs::resize_file(file, 50000); }
  SECTION("empty") { fs::resize_file(file, 0); }
  SECTION("one byte differs") {
    std::string bytes = sys::read_file(file).value();
    bytes[70001] = 'y';
    REQUIRE(sys::replace_file(file, bytes));
  }
  CHECK(store.open("k").found == Found::Damaged);
  CHECK(store.open("k").found == Found::Absent);
}

TEST_CASE("a save that fails leaves no file") {
  const Folder folder;
  const vm::StateStore store(folder.path);
  CHECK_FALSE(store.save("k", [](int) -> Result<void> { return Error(ErrorKind::Io, "full"); }));
  CHECK(store.open("k").found == Found::Absent);
  CHECK(fs::is_empty(folder.path));
}

TEST_CASE("a key depends on every part and on where parts end") {
  CHECK(vm::state_key({"a", "b"}) != vm::state_key({"ab"}));
  CHECK(vm::state_key({"a", "b"}) == vm::state_key({"a", "b"}));
}

}  // namespace
}  // namespace pybox
