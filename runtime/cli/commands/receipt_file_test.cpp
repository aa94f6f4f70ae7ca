#include "cli/commands/receipt_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "base/digest.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace pybox::cli {
namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() : path(fs::temp_directory_path() / ("receipt-file-" + random_hex(6))) {
    fs::create_directory(path);
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path path;
};

std::string problem(const std::string& path) {
  const auto checked = check_receipt_file(path);
  if (checked) return "";
  CHECK(checked.error().kind() == ErrorKind::HostCannot);
  return checked.error().message();
}

}  // namespace

TEST_CASE("a receipt file is written whole, beside nothing") {
  const Folder folder;
  const std::string file = (folder.path / "r.json").string();
  for (const char* text : {"one", "two"}) {
    REQUIRE(check_receipt_file(file));
    REQUIRE(write_receipt_file(file, text));
    CHECK(sys::read_file(file).value() == text);
  }
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("where no receipt can be written is said before the run") {
  const Folder folder;
  const std::string lead = "the receipt cannot be written to `";
  const std::string gone = (folder.path / "gone" / "r.json").string();
  CHECK(problem(gone) == lead + gone + "`: No such file or directory");
  CHECK(problem(folder.path.string()) == lead + folder.path.string() + "`: it is a folder");
  CHECK(problem("") == lead + "`: the name is empty");
  const std::string slash = (folder.path / "new").string() + "/";
  CHECK(problem(slash) == lead + slash + "`: it names a folder");
  CHECK_FALSE(write_receipt_file(gone, "x"));
  if (::geteuid() != 0) CHECK(problem("/r.json") == lead + "/r.json`: Permission denied");
}

TEST_CASE("checking changes nothing") {
  const Folder folder;
  REQUIRE(check_receipt_file((folder.path / "r.json").string()));
  CHECK(fs::is_empty(folder.path));
}

TEST_CASE("a device, a pipe and a link are written through, not replaced") {
  REQUIRE(check_receipt_file("/dev/null"));
  REQUIRE(write_receipt_file("/dev/null", "x"));
  CHECK(fs::is_character_file("/dev/null"));

  const Folder folder;
  const fs::path target = folder.path / "target";
  const fs::path link = folder.path / "link";
  fs::create_symlink(target, link);
  REQUIRE(check_receipt_file(link.string()));
  REQUIRE(write_receipt_file(link.string(), "through"));
  CHECK(fs::is_symlink(link));
  CHECK(sys::read_file(target).value() == "through");

  auto pipe = sys::make_pipe();
  REQUIRE(pipe);
  REQUIRE(write_receipt_file("/dev/fd/" + std::to_string(pipe->write.get()), "piped"));
  pipe->write.reset();
  CHECK(sys::read_to_end(pipe->read.get(), 100).value() == "piped");
}

}  // namespace pybox::cli
