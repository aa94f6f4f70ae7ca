#include "files/delivery.hpp"

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "files/folder_for_tests.hpp"

namespace pybox::files {
namespace {

Files two_files() {
  Files files;
  files.status = Files::Status::Received;
  files.returned = {{"a.txt", 5, "", "first"}, {"d/e/b", 6, "", "second"}};
  return files;
}

std::string refusal(const std::string& path) {
  const auto prepared = OutputFolder::prepare(path);
  if (prepared) return "";
  CHECK(prepared.error().kind() == ErrorKind::Refused);
  CHECK(!prepared.error().hint().empty());
  return prepared.error().message();
}

mode_t mode_of(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 ? info.st_mode : 0;
}

std::size_t entries(const TestFolder& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("files arrive whole, private, without special bits and marked") {
  TestFolder folder;
  const auto output = OutputFolder::prepare(folder.at("out/"));
  REQUIRE(output);
  CHECK(entries(folder) == 0);
  const auto delivered = output->deliver(two_files(), "receipt-1");
  INFO((delivered ? "" : delivered.error().message()));
  REQUIRE(delivered);
  CHECK(folder.text("out/a.txt") == "first");
  CHECK(folder.text("out/d/e/b") == "second");
  CHECK(mode_of(folder.at("out")) == (S_IFDIR | 0700));
  CHECK(mode_of(folder.at("out/d/e")) == (S_IFDIR | 0700));
  CHECK(mode_of(folder.at("out/a.txt")) == (S_IFREG | 0600));
  CHECK(entries(folder) == 1);
  char mark[32] = {};
  if (::getxattr(folder.at("out/a.txt").c_str(), "user.pybox.untrusted", mark, sizeof(mark)) < 0)
    SKIP("this file system has no user attributes");
  CHECK(std::string(mark) == "receipt-1");
}

TEST_CASE("an empty folder and a link to one are taken, and nothing returned is an empty folder") {
  TestFolder folder;
  std::filesystem::create_directory(folder.path / "empty");
  REQUIRE(::symlink("empty", folder.at("link").c_str()) == 0);
  const auto output = OutputFolder::prepare(folder.at("link"));
  REQUIRE(output);
  REQUIRE(output->deliver(two_files(), "r"));
  CHECK(folder.text("empty/a.txt") == "first");
  const auto none = OutputFolder::prepare(folder.at("none"));
  REQUIRE(none);
  REQUIRE(none->deliver({}, "r"));
  CHECK(mode_of(folder.at("none")) == (S_IFDIR | 0700));
}

TEST_CASE("an output folder that cannot be made whole is refused beforehand") {
  TestFolder folder;
  folder.file("full/f", "x");
  folder.file("file", "x");
  REQUIRE(::symlink("nowhere", folder.at("dangling").c_str()) == 0);
  const auto text = [&](const char* name, const char* why) {
    return "the output folder `" + folder.at(name) + "` " + why;
  };
  CHECK(refusal(folder.at("full")) == text("full", "is not empty"));
  CHECK(refusal(folder.at("file")) == text("file", "is not a folder"));
  CHECK(refusal(folder.at("dangling")) == text("dangling", "is a link that leads nowhere"));
  CHECK(refusal(folder.at("no/such")) == text("no/such", "has no folder to lie in: `") +
                                             folder.at("no") +
                                             "` is not a folder that can be entered");
  CHECK(refusal("/") == "the output folder `/` is the root folder");
  CHECK(refusal("/dev/shm").find("output folder") != std::string::npos);
  CHECK(!OutputFolder::prepare(""));
}

TEST_CASE("what appears there meanwhile is not overwritten, and nothing is left beside it") {
  TestFolder folder;
  const auto output = OutputFolder::prepare(folder.at("out"));
  REQUIRE(output);
  folder.file("out/theirs", "x");
  CHECK(!output->deliver(two_files(), "r"));
  CHECK(folder.text("out/theirs") == "x");
  CHECK(entries(folder) == 1);
}

TEST_CASE("a delivery that fails in the middle leaves nothing") {
  TestFolder folder;
  const auto output = OutputFolder::prepare(folder.at("out"));
  REQUIRE(output);
  Files files = two_files();
  files.returned.push_back({"a.txt", 1, "", "x"});  // take_contents lets no such list through
  CHECK(!output->deliver(files, "r"));
  CHECK(entries(folder) == 0);
}

TEST_CASE("what a killed client left is swept by the next delivery, what is not left is not") {
  TestFolder folder;
  folder.file(".out.pybox-0123456789abcdef/half", "x");
  folder.file(".other.pybox-0123456789abcdef/half", "x");
  folder.file(".out.pybox-fedcba9876543210/half", "x");
  const sys::Fd living(
      ::open(folder.at(".out.pybox-fedcba9876543210").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(::flock(living.get(), LOCK_EX | LOCK_NB) == 0);
  const auto output = OutputFolder::prepare(folder.at("out"));
  REQUIRE(output);
  REQUIRE(output->deliver(two_files(), "r"));
  CHECK(!std::filesystem::exists(folder.path / ".out.pybox-0123456789abcdef"));
  CHECK(std::filesystem::exists(folder.path / ".out.pybox-fedcba9876543210/half"));
  CHECK(std::filesystem::exists(folder.path / ".other.pybox-0123456789abcdef"));
}

}  // namespace pybox::files
