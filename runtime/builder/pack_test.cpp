#include "builder/pack.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox::builder {
namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("pybox-pack-" + random_hex(6));
  Folder() { REQUIRE(sys::ensure_private_dir(path / "target")); }
  ~Folder() { (void)sys::remove_tree(path); }
  fs::path pack(const std::string& bytes) const {
    REQUIRE(sys::replace_file(path / "pack", bytes));
    return path / "pack";
  }
  Result<void> unpack(const std::string& bytes, PackLimits limits = {}) const {
    NoProgress quiet;
    return unpack_below(pack(bytes), "out/", path / "target", quiet, limits);
  }
};

std::string entry(char kind, const std::string& path, const std::string& content = "") {
  return std::string(1, kind) + " " + std::to_string(content.size()) + " " +
         std::to_string(path.size()) + "\n" + path + content;
}

std::string pack_of(const std::string& entries, int count) {
  return "pybox-pack 1\n" + entries + "end " + std::to_string(count) + " 0\n";
}

}  // namespace

TEST_CASE("a pack becomes folders and files, and only those below the prefix") {
  const Folder folder;
  const std::string bytes = pack_of(entry('f', "status.json", "{}") + entry('d', "out/a") +
                                        entry('f', "out/a/b", "text") + entry('d', "out/a/deep") +
                                        entry('x', "out/a/deep/run", "#!") +
                                        entry('f', "out/a/z", "") + entry('f', "out/top", "more"),
                                    7);
  REQUIRE(folder.unpack(bytes));
  CHECK(sys::read_file(folder.path / "target/a/b").value() == "text");
  CHECK(sys::read_file(folder.path / "target/top").value() == "more");
  CHECK(fs::is_empty(folder.path / "target/a/z"));
  CHECK(!fs::exists(folder.path / "target/status.json"));
  struct stat info {};
  REQUIRE(::stat((folder.path / "target/a/deep/run").c_str(), &info) == 0);
  CHECK((info.st_mode & 07111U) == 0111U);
  CHECK(file_in_pack(folder.path / "pack", "status.json", 10).value() == "{}");
  CHECK(!file_in_pack(folder.path / "pack", "status.json", 1));
  CHECK(!file_in_pack(folder.path / "pack", "absent", 10));
}

TEST_CASE("a pack that would lead out, lie or overflow is refused") {
  const Folder folder;
  const auto refused = [&](const std::string& bytes, PackLimits limits = {}) {
    const Result<void> result = folder.unpack(bytes, limits);
    return !result && result.error().kind() == ErrorKind::Evidence;
  };
  for (const char* path : {"out/../x", "/out/x", "out//x", "out/.", "out/a\nb", "", "out/x/"}) {
    CAPTURE(path);
    CHECK(refused(pack_of(entry('f', path, "x"), 1)));
  }
  CHECK(refused(pack_of(entry('f', "out/" + std::string(256, 'a'), "x"), 1)));
  CHECK(refused(pack_of(entry('f', "out/a/b", "folder never made"), 1)));
  CHECK(refused(pack_of(entry('f', "out/a", "1") + entry('f', "out/a", "2"), 2)));
  CHECK(refused(pack_of(entry('d', "out/b") + entry('d', "out/b"), 2)));
  CHECK(refused(pack_of(entry('l', "out/link", "/etc/passwd"), 1)));
  CHECK(refused(pack_of("d 4 5\nout/cXXXX", 1)));
  CHECK(refused(pack_of("f -1 5\nout/d", 1)));
  CHECK(refused(pack_of("f 01 5\nout/e1", 1)));
  CHECK(refused(pack_of("f 99999999999999999999 5\nout/f", 1)));
  CHECK(refused(pack_of(entry('f', "out/g", "x"), 2)));
  CHECK(refused("pybox-pack 1\n" + entry('f', "out/h", "x")));
  CHECK(refused("pybox-pack 1\nf 5 5\nout/ix"));
  CHECK(refused("another format\n"));
  CHECK(refused(""));
  CHECK(refused("pybox-pack 1\n" + std::string(100, 'f')));
  CHECK(refused(pack_of(entry('f', "out/j", "12345"), 1), {10, 4_B}));
  CHECK(refused(pack_of(entry('f', "out/k") + entry('f', "out/l"), 2), {1, 1_MiB}));
}

TEST_CASE("a link where a pack's folder should be is not followed") {
  const Folder folder;
  fs::create_directory_symlink("/tmp", folder.path / "target/a");
  CHECK(!folder.unpack(pack_of(entry('d', "out/a") + entry('f', "out/a/x", "x"), 2)));
}

TEST_CASE("a pack that is not a plain file is not opened") {
  const Folder folder;
  REQUIRE(::mkfifo((folder.path / "pack").c_str(), 0600) == 0);
  CHECK(!file_in_pack(folder.path / "pack", "status.json", 10));
  fs::remove(folder.path / "pack");
  fs::create_symlink("/etc/passwd", folder.path / "pack");
  CHECK(!file_in_pack(folder.path / "pack", "status.json", 10));
}

}  // namespace pybox::builder
