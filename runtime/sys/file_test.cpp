#include "sys/file.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <cstddef>

#include "base/digest.hpp"
#include "sys/listing.hpp"
#include "sys/new_file.hpp"

namespace pybox::sys {
namespace {

struct TempDir {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("pybox-file-test-" + random_hex(6));
  TempDir() { std::filesystem::create_directory(path); }
  ~TempDir() { (void)remove_tree(path); }
};

/// "yes" or "no": what `act` returns in a child whose every fsync(2) fails with EIO; fdatasync(2),
/// which files are synced by, works.
template <class Act>
std::string without_fsync(Act act) {
  const pid_t child = ::fork();
  if (child == 0) {
    sock_filter steps[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
                           {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_fsync},
                           {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EIO},
                           {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    const sock_fprog program{4, steps};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
      ::_exit(2);
    ::_exit(act() ? 0 : 1);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return "no child";
  return WEXITSTATUS(status) == 0 ? "yes" : WEXITSTATUS(status) == 1 ? "no" : "no filter";
}

}  // namespace

TEST_CASE("a file is replaced whole and leaves no temporary neighbour") {
  const TempDir dir;
  REQUIRE(replace_file(dir.path / "a", "one"));
  REQUIRE(replace_file(dir.path / "a", "two"));
  CHECK(read_file(dir.path / "a").value() == "two");
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path), {}) == 1);
  struct stat info {};
  REQUIRE(::stat((dir.path / "a").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777U) == 0600U);
}

TEST_CASE("a synced file's folder is synced too, and where that fails it is said") {
  const TempDir dir;
  CHECK(without_fsync([&] { return replace_file(dir.path / "a", "one").has_value(); }) == "no");
  CHECK(without_fsync([&] { return create_file(dir.path / "b", "one").has_value(); }) == "no");
  CHECK(without_fsync([&] {
          return replace_file(dir.path / "c", "one", 0600, Durability::Unsynced).has_value();
        }) == "yes");
  CHECK(read_file(dir.path / "a").value() == "one");
}

TEST_CASE("what a kill left of a replacement goes with the next one") {
  const TempDir dir;
  REQUIRE(replace_file(dir.path / "a", "one"));
  REQUIRE(create_file(dir.path / ".a.new", "left").value());
  REQUIRE(replace_file(dir.path / "a", "two"));
  CHECK(read_file(dir.path / "a").value() == "two");
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path), {}) == 1);
}

TEST_CASE("a file is created only where there is none") {
  const TempDir dir;
  CHECK(create_file(dir.path / "a", "one").value());
  CHECK_FALSE(create_file(dir.path / "a", "two").value());
  CHECK(read_file(dir.path / "a").value() == "one");
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path), {}) == 1);
  CHECK_FALSE(create_file(dir.path / "no" / "a", "one").has_value());
}

TEST_CASE("a folder that cannot be read is told from an empty one") {
  const TempDir dir;
  std::error_code trouble;
  CHECK(entries_of(dir.path, trouble).empty());
  CHECK_FALSE(trouble);
  REQUIRE(replace_file(dir.path / "a", "one"));
  CHECK(entries_of(dir.path, trouble) == std::vector{dir.path / "a"});
  CHECK(entries_of(dir.path / "no", trouble).empty());
  CHECK(trouble);
}

TEST_CASE("a file larger than the limit is refused, not cut") {
  const TempDir dir;
  REQUIRE(replace_file(dir.path / "a", "12345"));
  CHECK(read_file(dir.path / "a", Bytes{5}).has_value());
  CHECK_FALSE(read_file(dir.path / "a", Bytes{4}).has_value());
}

TEST_CASE("a read-only tree can be removed and links are not followed") {
  const TempDir dir;
  const auto tree = dir.path / "tree";
  std::filesystem::create_directories(tree / "sub");
  REQUIRE(replace_file(dir.path / "kept", "x"));
  REQUIRE(replace_file(tree / "sub" / "f", "x"));
  std::filesystem::create_symlink(dir.path, tree / "sub" / "up");
  ::chmod((tree / "sub").c_str(), 0555);
  ::chmod(tree.c_str(), 0555);
  REQUIRE(remove_tree(tree));
  CHECK_FALSE(std::filesystem::exists(tree));
  CHECK(std::filesystem::exists(dir.path / "kept"));
  CHECK(remove_tree(tree));  // absent is fine
}

TEST_CASE("a private folder is made with its parents and a link in its place is refused") {
  const TempDir dir;
  REQUIRE(ensure_private_dir(dir.path / "a" / "b"));
  struct stat info {};
  REQUIRE(::stat((dir.path / "a" / "b").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777U) == 0700U);
  std::filesystem::create_directory_symlink("/tmp", dir.path / "link");
  const auto refused = ensure_private_dir(dir.path / "link");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().find("is not a folder") != std::string::npos);
}

TEST_CASE("a folder that anyone may write to is not private") {
  const TempDir dir;
  REQUIRE(ensure_private_dir(dir.path / "open"));
  REQUIRE(::chmod((dir.path / "open").c_str(), 0777) == 0);
  const auto refused = ensure_private_dir(dir.path / "open");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().starts_with("anyone may write to the folder"));
  REQUIRE(::chmod((dir.path / "open").c_str(), 0755) == 0);
  CHECK(ensure_private_dir(dir.path / "open"));
}

}  // namespace pybox::sys
