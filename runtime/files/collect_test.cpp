#include "files/collect.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "files/arrival.hpp"
#include "files/folder_for_tests.hpp"

namespace pybox::files {
namespace {

/// "name: reason" of each omitted file, a line each.
std::string left(const Files& files) {
  std::string text;
  for (const OmittedFile& file : files.omitted) text += file.name + ": " + file.reason + "\n";
  return text;
}

std::string came(const Files& files) {
  std::string text;
  for (const ReturnedFile& file : files.returned) text += file.name + " ";
  return text;
}

/// Whatever was collected must be what the host believes.
Files collected(const TestFolder& folder, const CollectLimits& limits = {}) {
  Files files = collect(folder.fd(), limits);
  Files sent = files;
  std::string body;
  for (ReturnedFile& file : sent.returned) body += std::exchange(file.content, {});
  const auto taken = take_contents(sent, body);
  INFO((taken ? "" : taken.error().message()));
  CHECK(taken);
  return files;
}

std::string refuse_all(const TestFolder& folder, const Reach& reach) {
  return left(collect(folder.fd(), {}, reach));
}

}  // namespace

TEST_CASE("files come back in byte order, folders kept") {
  TestFolder folder;
  folder.file("b", "2");
  folder.file("a/x", "1");
  folder.file("a-b", std::string("\0\xff", 2));
  const Files files = collected(folder);
  CHECK(files.status == Files::Status::Received);
  CHECK(came(files) == "a-b a/x b ");
  CHECK(files.returned[0].content == std::string("\0\xff", 2));
  CHECK(files.omitted_total == 0);
}

TEST_CASE("links, hard links, FIFOs and sockets are listed and never opened") {
  TestFolder folder;
  folder.file("good", "g");
  folder.file("one", "1");
  REQUIRE(::link(folder.at("one").c_str(), folder.at("other").c_str()) == 0);
  REQUIRE(::symlink("/etc/passwd", folder.at("passwd").c_str()) == 0);
  REQUIRE(::symlink("/etc", folder.at("etc").c_str()) == 0);
  REQUIRE(::symlink("good", folder.at("inner").c_str()) == 0);
  REQUIRE(::symlink("nowhere", folder.at("dangling").c_str()) == 0);
  REQUIRE(::symlink("self", folder.at("self").c_str()) == 0);
  ::mkfifo(folder.at("fifo").c_str(), 0666);
  const sys::Fd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, folder.at("socket").c_str(), sizeof(name.sun_path) - 1);
  REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0);
  const Files files = collected(folder);
  CHECK(came(files) == "good ");
  CHECK(left(files) ==
        "dangling: a symbolic link\n"
        "etc: a symbolic link\n"
        "fifo: a FIFO\n"
        "inner: a symbolic link\n"
        "one: a hard link: the file has other names\n"
        "other: a hard link: the file has other names\n"
        "passwd: a symbolic link\n"
        "self: a symbolic link\n"
        "socket: a socket\n");
}

TEST_CASE("64 files and 8 MiB come back; what does not fit is skipped, what does still comes") {
  TestFolder folder;
  folder.file("a", std::string(6U << 20U, 'a'));
  folder.file("b", std::string(3U << 20U, 'b'));
  folder.file("big", std::string((8U << 20U) + 1, 'b'));
  folder.file("c", std::string(2U << 20U, 'c'));
  folder.file("d", "1");
  folder.file("empty", "");
  const Files files = collected(folder);
  CHECK(came(files) == "a c empty ");
  CHECK(left(files) ==
        "b: larger than what was left of what may come back\n"
        "big: larger than all that may come back\n"
        "d: larger than what was left of what may come back\n");
  CHECK(files.omitted[1].bytes == (8U << 20U) + 1);
}

TEST_CASE("the list of what was left behind is bounded, its number is exact") {
  TestFolder folder;
  for (int i = 0; i < 200; ++i) folder.file(std::to_string(1000 + i), "x");
  const Files files = collected(folder);
  CHECK(files.returned.size() == 64);
  CHECK(files.returned[63].name == "1063");
  CHECK(files.omitted.size() == 64);
  CHECK(files.omitted_total == 136);
  CHECK(files.omitted[0].reason == "as many files as may come back were there");
}

TEST_CASE("names that deceive are listed escaped, and folders of such names not entered") {
  TestFolder folder;
  folder.file("a\nb", "x");
  folder.file("\x1b[2J", "x");
  folder.file("\xff\xfe", "x");
  folder.file("\xe2\x80\xaegpj", "x");
  folder.file("-rf", "x");
  folder.file(std::string(255, 'n'), "x");
  folder.file("bad\r/inside", "x");
  const Files files = collected(folder);
  CHECK(came(files) == "-rf " + std::string(255, 'n') + " ");
  CHECK(left(files) ==
        "\\x1b[2J: its name holds control or invisible characters\n"
        "a\\x0ab: its name holds control or invisible characters\n"
        "bad\\x0d/: a folder, and its name holds control or invisible characters\n"
        "\\u{202e}gpj: its name holds control or invisible characters\n"
        "\\xff\\xfe: its name is not UTF-8\n");
}

TEST_CASE("the names that come back are bounded together") {
  TestFolder folder;
  for (int i = 10; i < 50; ++i)
    folder.file(std::to_string(i) + std::string(250, 'n') + "/" + std::string(250, 'm'), "x");
  const Files files = collected(folder);
  CHECK(files.returned.size() == (16U << 10U) / 503);
  CHECK(files.omitted[0].reason == "its name is longer than what was left");
}

TEST_CASE("a deep tree ends at 31 folders, and an empty folder is said") {
  TestFolder folder;
  std::string deep;
  for (int i = 0; i < 31; ++i) deep += "d/";
  folder.file(deep + "f", "x");
  folder.file(deep + "d/too-deep", "x");
  std::filesystem::create_directory(folder.path / "hollow");
  const Files files = collected(folder);
  CHECK(came(files) == deep + "f ");
  CHECK(left(files) == deep + "d/: a folder inside 31 others\nhollow/: an empty folder\n");
}

TEST_CASE("a sparse file of a terabyte is skipped by its size") {
  TestFolder folder;
  const sys::Fd fd(::open(folder.at("sparse").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  if (::ftruncate(fd.get(), 1LL << 40U) != 0) SKIP("this file system has no sparse terabyte");
  const Files files = collected(folder);
  CHECK(files.returned.empty());
  CHECK(files.omitted[0].bytes == 1ULL << 40U);
}

TEST_CASE("what its owner may not read comes back all the same") {
  TestFolder folder;
  folder.file("shut/f", "x");
  folder.file("g", "y");
  ::chmod(folder.at("g").c_str(), 0);
  ::chmod(folder.at("shut").c_str(), 0);
  CHECK(came(collected(folder)) == "g shut/f ");
}

TEST_CASE("set-id bits and other modes do not travel") {
  TestFolder folder;
  folder.file("tool", "x");
  ::chmod(folder.at("tool").c_str(), 06777);
  CHECK(came(collected(folder)) == "tool ");
}

TEST_CASE("a file that changes or is swapped under the collector is left behind") {
  TestFolder folder;
  folder.file("f", "12345");
  folder.file("later", "12345");
  static const TestFolder* there = &folder;
  there = &folder;
  SECTION("it grows") {
    const Reach growing{kConfined.look, [](int at, const char* name, int flags) {
                          if (std::string(name) == "f") there->file("f", "1234567890");
                          return kConfined.open(at, name, flags);
                        }};
    CHECK(refuse_all(folder, growing) == "f: it changed while it was collected\n");
  }
  SECTION("it shrinks") {
    const Reach shrinking{kConfined.look, [](int at, const char* name, int flags) {
                            if (std::string(name) == "f") there->file("f", "1");
                            return kConfined.open(at, name, flags);
                          }};
    CHECK(refuse_all(folder, shrinking) == "f: it changed while it was collected\n");
  }
  SECTION("another takes its place") {
    const Reach swapping{kConfined.look, [](int at, const char* name, int flags) {
                           if (std::string(name) == "f")
                             ::rename(there->at("later").c_str(), there->at("f").c_str());
                           return kConfined.open(at, name, flags);
                         }};
    CHECK(refuse_all(folder, swapping) ==
          "f: it changed while it was collected\nlater: No such file or directory\n");
  }
  SECTION("a link takes its place") {
    const Reach linking{kConfined.look, [](int at, const char* name, int flags) {
                          if (std::string(name) == "f") {
                            ::unlink(there->at("f").c_str());
                            REQUIRE(::symlink("/etc/passwd", there->at("f").c_str()) == 0);
                          }
                          return kConfined.open(at, name, flags);
                        }};
    CHECK(refuse_all(folder, linking) == "f: Too many levels of symbolic links\n");
  }
}

TEST_CASE("the way out of a folder is refused") {
  TestFolder folder;
  folder.file("d/f", "x");
  REQUIRE(::symlink("/", folder.at("root").c_str()) == 0);
  const sys::Fd inner(::open(folder.at("d").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (const char* name : {"..", "../root", "/", "/etc", "/proc/self/root"}) {
    INFO(name);
    CHECK(kConfined.open(inner.get(), name, O_RDONLY) == -1);
  }
  CHECK(kConfined.open(folder.fd(), "root", O_RDONLY) == -1);
}

TEST_CASE("a folder that cannot be read is not a transfer") {
  CHECK(collect(-1, {}).status == Files::Status::NotReceived);
}

}  // namespace pybox::files
