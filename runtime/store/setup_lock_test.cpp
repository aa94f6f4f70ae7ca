#include "store/setup_lock.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <thread>

#include "base/digest.hpp"
#include "store/registry.hpp"
#include "sys/file.hpp"

namespace pybox::store {
namespace {

namespace fs = std::filesystem;

struct SetUpHome {
  sys::StateDirs dirs;
  SetUpHome() { dirs.home = fs::temp_directory_path() / ("pybox-home-" + random_hex(6)); }
  ~SetUpHome() { (void)sys::remove_tree(dirs.home); }
  void image(const fs::path& folder, const std::string& mark) const {
    REQUIRE(sys::ensure_private_dir(folder / "rootfs"));
    REQUIRE(sys::replace_file(folder / "manifest.json", mark));
  }
};

/// Remembers the facts it was told.
class Listener final : public Progress {
 public:
  void stage(std::string_view) override {}
  void advance(std::uint64_t, std::optional<std::uint64_t>, Unit) override {}
  void note(std::string_view line) override { notes.emplace_back(line); }
  std::vector<std::string> notes;
};

std::size_t count_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("one set-up at a time: the second waits, and says so") {
  const SetUpHome home;
  Listener first;
  Listener second;
  sys::Fd lock = lock_setup(home.dirs, first).value();
  CHECK(first.notes.empty());
  bool got_it = false;
  std::thread other([&] { got_it = lock_setup(home.dirs, second).has_value(); });
  lock.reset();
  other.join();
  CHECK(got_it);
  CHECK(second.notes.size() <= 1);
}

TEST_CASE("a home that cannot be written is named, with what to do") {
  sys::StateDirs dirs;
  dirs.home = "/proc/pybox-cannot-be-here";
  NoProgress quiet;
  const auto refused = lock_setup(dirs, quiet);
  REQUIRE(!refused);
  CHECK(refused.error().kind() == ErrorKind::HostCannot);
  CHECK(refused.error().message().find("/proc/pybox-cannot-be-here") != std::string::npos);
  CHECK(refused.error().hint().find("PYBOX_HOME") != std::string::npos);
}

TEST_CASE("a finished folder takes its place, and what was there goes") {
  const SetUpHome home;
  const fs::path target = home.dirs.images() / "stdlib";
  home.image(home.dirs.cache() / "one", "1");
  REQUIRE(sys::ensure_private_dir(home.dirs.images()));
  REQUIRE(put_in_place(home.dirs.cache() / "one", target));
  CHECK(sys::read_file(target / "manifest.json").value() == "1");
  home.image(home.dirs.cache() / "two", "2");
  REQUIRE(put_in_place(home.dirs.cache() / "two", target));
  CHECK(sys::read_file(target / "manifest.json").value() == "2");
  CHECK(count_in(home.dirs.images()) == 1);
  CHECK(count_in(home.dirs.cache()) == 0);
}

TEST_CASE("a replaced image that somebody holds stays until it is let go") {
  const SetUpHome home;
  const fs::path target = home.dirs.images() / "stdlib";
  home.image(target, "old");
  home.image(home.dirs.cache() / "new", "new");
  sys::Fd held =
      hold_image({"stdlib", "", "3.13", target / "rootfs", target / "image.erofs"}).value();
  REQUIRE(put_in_place(home.dirs.cache() / "new", target));
  CHECK(sys::read_file(target / "manifest.json").value() == "new");
  REQUIRE(sweep_setup(home.dirs));
  CHECK(count_in(home.dirs.images()) == 2);
  held.reset();
  REQUIRE(sweep_setup(home.dirs));
  CHECK(count_in(home.dirs.images()) == 1);
}

TEST_CASE("a sweep removes work folders and nothing else of the cache") {
  const SetUpHome home;
  REQUIRE(sys::ensure_private_dir(home.dirs.cache() / "archives"));
  const fs::path work = make_work_folder(home.dirs).value();
  REQUIRE(sys::replace_file(work / "half", "x"));
  REQUIRE(sweep_setup(home.dirs));
  CHECK(!fs::exists(work));
  CHECK(fs::exists(home.dirs.cache() / "archives"));
}

TEST_CASE("too little space is refused before anything is done") {
  const auto refused = require_space("/tmp", Bytes{~std::uint64_t{0}});
  REQUIRE(!refused);
  CHECK(refused.error().kind() == ErrorKind::HostCannot);
  CHECK(refused.error().message().starts_with("not enough space"));
  CHECK(require_space("/tmp", 1_B));
}

}  // namespace pybox::store
