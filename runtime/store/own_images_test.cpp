#include "store/own_images.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "base/digest.hpp"
#include "store/package_recipe.hpp"
#include "store/record.hpp"
#include "store/registry.hpp"
#include "store/tree.hpp"
#include "sys/file.hpp"

namespace pybox::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPin = "tabulate==0.9.0 --hash=sha256:";

/// A home with small but valid images of packages.
struct ImagesHome {
  sys::StateDirs dirs;
  ImagesHome() { dirs.home = fs::temp_directory_path() / ("pybox-own-" + random_hex(6)); }
  ~ImagesHome() { (void)sys::remove_tree(dirs.home); }
  fs::path folder(const std::string& name) const { return dirs.images() / name; }

  void add(const std::string& name, const std::string& lock, std::size_t bytes = 4) const {
    const fs::path to = folder(name);
    REQUIRE(sys::ensure_private_dir(to / "rootfs"));
    REQUIRE(sys::replace_file(to / "rootfs" / "file", std::string(bytes, 'x')));
    REQUIRE(settle_tree(to / "rootfs"));
    NoProgress quiet;
    const std::string list = canonical_text(list_tree(to / "rootfs", quiet).value());
    ImageRecord record;
    record.name = name;
    record.id = tree_id(list);
    record.python = "3.13";
    record.lock = "sha256:" + sha256_hex(lock);
    record.base = "sha256:" + std::string(64, '0');
    record.wheels = {{"tabulate", "0.9.0", std::string(64, 'a')}};
    record.recipe = digest_of_packages(*base_recipe("3.13"), record.lock, extras_of(name));
    record.pybox_version = "0";
    record.erofs = {sha256_hex("disk"), 4, "mkfs.erofs 1.5"};
    REQUIRE(sys::replace_file(to / "tree.list", list));
    REQUIRE(sys::replace_file(to / "image.erofs", "disk"));
    REQUIRE(sys::replace_file(to / "lock.txt", lock));
    REQUIRE(sys::replace_file(to / "manifest.json", to_json(record)));
  }
};

void used_at(const ImagesHome& home, const std::string& name, std::time_t when) {
  mark_used(home.dirs, name);
  const std::array<timespec, 2> times = {timespec{when, 0}, timespec{when, 0}};
  REQUIRE(::utimensat(AT_FDCWD, (home.folder(name) / "used").c_str(), times.data(), 0) == 0);
}

}  // namespace

TEST_CASE("own image names have 2 to 31 lower-case letters, digits or dashes") {
  for (const char* good : {"ab", "tools", "my-tools-2", "0a"}) CHECK(own_image_name(good));
  CHECK(own_image_name(std::string(31, 'a')));
  for (const char* bad :
       {"", "a", "Tools", "a_b", "a.b", "-ab", "ab-", "../ab", "a b", "äb", "stdlib", "data"}) {
    CAPTURE(bad);
    const Result<void> checked = own_image_name(bad);
    REQUIRE(!checked);
    CHECK(checked.error().kind() == ErrorKind::Refused);
  }
  CHECK(!own_image_name(std::string(32, 'a')));
}

TEST_CASE("an image of packages is refused when its saved lock is not the one it was built from") {
  const ImagesHome home;
  const std::string lock = std::string(kPin) + std::string(64, 'a') + "\n";
  home.add("tools", lock);
  REQUIRE(find_image(home.dirs, "tools", "3.13"));
  CHECK(find_image(home.dirs, "tools", "3.13")->own_packages);
  std::string changed = lock;
  changed[changed.size() - 2] = 'b';
  REQUIRE(sys::replace_file(home.folder("tools") / "lock.txt", changed));
  const auto found = find_image(home.dirs, "tools", "3.13");
  REQUIRE(!found);
  CHECK(found.error().kind() == ErrorKind::Refused);
  CHECK(found.error().message().find("another lock") != std::string::npos);
  CHECK(found.error().hint().find("pybox image build tools --lock") != std::string::npos);
  REQUIRE(sys::remove_tree(home.folder("tools") / "lock.txt"));
  CHECK(!find_image(home.dirs, "tools", "3.13"));
}

TEST_CASE("`data` must be of the lock that PyBox ships") {
  const ImagesHome home;
  home.add("data", std::string(data_lock_text()));
  REQUIRE(find_image(home.dirs, "data", "3.13"));
  CHECK(!find_image(home.dirs, "data", "3.13")->own_packages);
  home.add("data", "another lock\n");
  const auto found = find_image(home.dirs, "data", "3.13");
  REQUIRE(!found);
  CHECK(found.error().hint() == "run `pybox setup --with data`");
}

TEST_CASE("an image is removed by the name that is listed, and stdlib is not") {
  const ImagesHome home;
  NoProgress quiet;
  home.add("tools", "lock");
  REQUIRE(remove_image(home.dirs, "tools", quiet));
  CHECK(!fs::exists(home.folder("tools")));
  CHECK(fs::is_empty(home.dirs.images()));
  CHECK(!remove_image(home.dirs, "tools", quiet));
  home.add("stdlib", "lock");
  CHECK(!remove_image(home.dirs, "stdlib", quiet));
}

TEST_CASE("pruning removes the longest unused cached images, and none in use or with a name") {
  const ImagesHome home;
  NoProgress quiet;
  for (const char* name : {"deps.a", "deps.b", "deps.c", "own"}) home.add(name, name, 300'000);
  used_at(home, "deps.a", 1000);
  used_at(home, "deps.b", 3000);
  used_at(home, "deps.c", 2000);
  const auto some = prune_images(home.dirs, 700_KiB, quiet);
  REQUIRE(some);
  CHECK(some->removed == std::vector<std::string>{"deps.a"});
  CHECK(fs::exists(home.folder("deps.c")));
  const Image held{"deps.c", "", "3.13", home.folder("deps.c") / "rootfs", ""};
  const Result<sys::Fd> hold = hold_image(held);
  REQUIRE(hold);
  REQUIRE(prune_images(home.dirs, 0_B, quiet));
  CHECK(fs::exists(home.folder("deps.c")));
  CHECK(!fs::exists(home.folder("deps.b")));
  CHECK(fs::exists(home.folder("own")));
}

}  // namespace pybox::store
