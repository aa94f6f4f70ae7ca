#include "store/checked.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox::store {
namespace {

namespace fs = std::filesystem;

constexpr Nanos kLongAgo = std::chrono::seconds(2);

/// An image folder, looked at when its files are old enough to be remembered.
struct CheckedHome {
  sys::StateDirs dirs;
  CheckedHome() {
    dirs.home = fs::temp_directory_path() / ("pybox-checked-" + random_hex(6));
    REQUIRE(sys::ensure_private_dir(folder() / "rootfs"));
    for (const char* name : {"manifest.json", "tree.list", "image.erofs"}) write(name, "text");
  }
  ~CheckedHome() { (void)sys::remove_tree(dirs.home); }
  fs::path folder() const { return dirs.images() / "stdlib"; }
  void write(const char* name, std::string_view text) const {
    REQUIRE(sys::replace_file(folder() / name, text));
  }
  std::string facts() const { return facts_of(folder(), "sha256:recipe", wall_now() + kLongAgo); }
  std::optional<std::string> remembered() const { return remembered_id(dirs, "stdlib", facts()); }
};

}  // namespace

TEST_CASE("a checked image is remembered until one of its files or its recipe is another") {
  const CheckedHome home;
  CHECK(!home.remembered());
  const std::string facts = home.facts();
  REQUIRE(!facts.empty());
  remember_id(home.dirs, "stdlib", facts, "sha256:id");
  CHECK(home.remembered() == "sha256:id");
  CHECK(!remembered_id(home.dirs, "stdlib",
                       facts_of(home.folder(), "sha256:other", wall_now() + kLongAgo)));
  CHECK(!remembered_id(home.dirs, "data", facts));
  for (const char* name : {"manifest.json", "tree.list", "image.erofs"}) {
    INFO(name);
    home.write(name, "next");  // as long as before
    CHECK(!home.remembered());
    remember_id(home.dirs, "stdlib", home.facts(), "sha256:id");
    CHECK(home.remembered() == "sha256:id");
  }
}

TEST_CASE("a file put back with its old times is still another file") {
  const CheckedHome home;
  remember_id(home.dirs, "stdlib", home.facts(), "sha256:id");
  const fs::path file = home.folder() / "tree.list";
  struct stat before {};
  REQUIRE(::stat(file.c_str(), &before) == 0);
  const sys::Fd fd = sys::open_path(file, O_WRONLY).value();
  const std::array<timespec, 2> times = {before.st_atim, before.st_mtim};
  // The kernel's clock for files ticks every few milliseconds; within one the two look alike.
  struct stat after = before;
  for (const Nanos end = monotonic_now() + std::chrono::seconds(5);
       after.st_ctim.tv_nsec == before.st_ctim.tv_nsec && monotonic_now() < end;) {
    REQUIRE(::pwrite(fd.get(), "evil", 4, 0) == 4);
    REQUIRE(::futimens(fd.get(), times.data()) == 0);
    REQUIRE(::stat(file.c_str(), &after) == 0);
  }
  CHECK(after.st_mtim.tv_nsec == before.st_mtim.tv_nsec);
  CHECK(!home.remembered());
}

TEST_CASE("nothing is remembered of files that changed just now or are missing") {
  const CheckedHome home;
  home.write("tree.list", "next");
  CHECK(facts_of(home.folder(), "sha256:recipe", wall_now()).empty());
  CHECK(!home.facts().empty());
  fs::remove(home.folder() / "tree.list");
  CHECK(home.facts().empty());
  remember_id(home.dirs, "stdlib", "", "sha256:id");
  CHECK(!fs::exists(home.dirs.cache() / "checked"));
  CHECK(!remembered_id(home.dirs, "stdlib", ""));
}

}  // namespace pybox::store
