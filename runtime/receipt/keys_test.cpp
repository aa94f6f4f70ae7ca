#include "receipt/keys.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox {
namespace {

namespace fs = std::filesystem;

/// An installation of this test's own.
struct KeysHome {
  KeysHome() { dirs.home = fs::temp_directory_path() / ("keys-" + random_hex(6)); }
  ~KeysHome() { fs::remove_all(dirs.home); }
  KeysHome(const KeysHome&) = delete;
  KeysHome& operator=(const KeysHome&) = delete;
  sys::StateDirs dirs;
};

unsigned mode_of(const fs::path& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777U : 0;
}

}  // namespace

TEST_CASE("the first need makes a key that the next one finds") {
  const KeysHome home;
  const auto made = load_or_make_key(home.dirs);
  REQUIRE(made);
  const auto found = load_or_make_key(home.dirs);
  REQUIRE(found);
  CHECK(found->seed() == made->seed());
  CHECK(load_public_key(public_key_file(home.dirs)).value() == made->public_key());
  CHECK(mode_of(home.dirs.keys()) == 0700U);
  CHECK(mode_of(private_key_file(home.dirs)) == 0600U);
  CHECK(mode_of(public_key_file(home.dirs)) == 0600U);
  // Nothing half-made stays.
  CHECK(std::distance(fs::directory_iterator(home.dirs.keys()), {}) == 2);
}

TEST_CASE("several first needs at once end up with one key") {
  const KeysHome home;
  std::vector<PublicKey> keys(8);
  std::vector<std::thread> threads;
  for (PublicKey& key : keys) {
    threads.emplace_back([&] { key = load_or_make_key(home.dirs).value().public_key(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const PublicKey& key : keys) CHECK(key == keys[0]);
  CHECK(std::distance(fs::directory_iterator(home.dirs.keys()), {}) == 2);
}

TEST_CASE("a key file that others can use is refused") {
  const KeysHome home;
  REQUIRE(load_or_make_key(home.dirs));
  const fs::path file = private_key_file(home.dirs);
  for (const mode_t mode : {0640U, 0604U, 0622U, 0601U}) {
    ::chmod(file.c_str(), mode);
    const auto key = load_or_make_key(home.dirs);
    REQUIRE_FALSE(key);
    CHECK(key.error().kind() == ErrorKind::HostCannot);
    CHECK(key.error().message().starts_with("other users can use the key file " + file.string()));
    CHECK(key.error().hint() == "remove it so that a new key is made, or `chmod 600 " +
                                    file.string() + "` if nobody used it");
  }
}

TEST_CASE("a key file of another user is refused") {
  if (::geteuid() != 0) SKIP("only root can give a file away");
  const KeysHome home;
  REQUIRE(load_or_make_key(home.dirs));
  const fs::path file = private_key_file(home.dirs);
  REQUIRE(::chown(file.c_str(), 65534, 65534) == 0);
  CHECK(load_or_make_key(home.dirs).error().message() ==
        "the key file " + file.string() + " belongs to another user");
}

TEST_CASE("what is not a key file is refused and left alone") {
  const KeysHome home;
  REQUIRE(load_or_make_key(home.dirs));
  const fs::path file = private_key_file(home.dirs);
  REQUIRE(sys::replace_file(file, "no key"));
  const auto key = load_or_make_key(home.dirs);
  REQUIRE_FALSE(key);
  CHECK(key.error().message() ==
        file.string() + ": not an Ed25519 key in PEM form (`PRIVATE KEY`)");
  CHECK(key.error().hint() == "remove the file so that a new key is made");
  CHECK(sys::read_file(file).value() == "no key");

  fs::remove(file);
  fs::create_symlink("/dev/zero", file);
  CHECK_FALSE(load_or_make_key(home.dirs));
  fs::remove(file);
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  CHECK(load_or_make_key(home.dirs).error().message() == file.string() + " is not a regular file");
}

TEST_CASE("the public half follows the private one") {
  const KeysHome home;
  const auto first = load_or_make_key(home.dirs);
  fs::remove(private_key_file(home.dirs));
  const auto second = load_or_make_key(home.dirs);
  REQUIRE(second);
  CHECK(second->seed() != first->seed());
  CHECK(load_public_key(public_key_file(home.dirs)).value() == second->public_key());
}

TEST_CASE("an invalid public key is named") {
  const KeysHome home;
  REQUIRE(sys::ensure_private_dir(home.dirs.home));
  const fs::path file = home.dirs.home / "x.pub";
  REQUIRE(sys::replace_file(file, "hello"));
  CHECK(load_public_key(file).error().message() ==
        file.string() + ": not an Ed25519 key in PEM form (`PUBLIC KEY`)");
  CHECK(load_public_key(home.dirs.home / "none").error().message() ==
        "opening " + (home.dirs.home / "none").string() + ": No such file or directory");
}

}  // namespace pybox
