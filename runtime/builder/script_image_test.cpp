#include "builder/script_image.hpp"

#include <stdlib.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "base/digest.hpp"
#include "builder/lock_cache.hpp"
#include "store/record.hpp"

namespace pybox::builder {
namespace {

namespace fs = std::filesystem;

const std::string kA(64, 'a');
const std::vector<InstalledPython> kTwo = {{"3.14", "3.14.2"}, {"3.13", "3.13.5"}};

std::string chosen(const std::optional<std::string>& requires_python,
                   const std::optional<std::string>& asked,
                   const std::vector<InstalledPython>& installed = kTwo) {
  const auto python = choose_python(requires_python, asked, installed);
  if (python) return *python;
  CHECK(python.error().kind() == ErrorKind::Refused);
  return python.error().message() + " | " + python.error().hint();
}

/// A home with base images' records, and a builder that is only counted.
class Home {
 public:
  Home() : root(fs::temp_directory_path() / ("script-image-" + random_hex(6))) {
    dirs.home = root;
    parts.resolve = [this](const ResolveRequest& request) -> Result<std::string> {
      ++resolved;
      asked = request;
      return "rich==15.0.0 --hash=sha256:" + kA + "\n";
    };
    parts.build = [this](const BuildRequest& request) -> Result<void> {
      built.push_back(request.name + " " + request.python);
      return {};
    };
    parts.find = [this](const std::string& name, const std::string& python) -> Result<void> {
      for (const std::string& there : built) {
        if (there == name + " " + python) return {};
      }
      return Error(ErrorKind::Refused, "there is no such image");
    };
  }
  ~Home() { fs::remove_all(root); }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  void install(const std::string& series, const std::string& debian) const {
    const fs::path folder = dirs.images() / (series == "3.13" ? "stdlib" : "stdlib-" + series);
    fs::create_directories(folder);
    store::ImageRecord record;
    record.name = folder.filename();
    record.id = "sha256:" + kA;
    record.python = series;
    record.suites = {"trixie"};
    record.recipe = "sha256:" + kA;
    record.pybox_version = "0.1.0";
    record.erofs = {kA, 1, "mkfs.erofs 1.5"};
    record.packages = {{"python" + series, debian, "amd64", "p.deb", 1, kA}};
    std::ofstream(folder / "manifest.json") << to_json(record);
  }

  Result<ScriptImage> go(const std::string& block, ScriptNeeds needs = {}) {
    auto script = pypi::read_inline_script("# /// script\n" + block + "# ///\n");
    REQUIRE(script);
    needs.script = *std::move(script);
    needs.name = "job.py";
    return image_for_script(dirs, needs, parts);
  }

  fs::path root;
  sys::StateDirs dirs;
  ScriptParts parts;
  ResolveRequest asked;
  int resolved = 0;
  std::vector<std::string> built;
};

}  // namespace

TEST_CASE("Debian's versions name Python's releases") {
  CHECK(release_of_debian_version("3.13.5-2") == "3.13.5");
  CHECK(release_of_debian_version("3.14.0~rc2-1") == "3.14.0rc2");
  CHECK(release_of_debian_version("1:3.15.0+dfsg-1") == "3.15.0");
}

TEST_CASE("a script gets 3.13 where that fits, else the newest Python that does") {
  CHECK(chosen({}, {}) == "3.13");
  CHECK(chosen({}, "3.14") == "3.14");
  CHECK(chosen(">=3.11", {}) == "3.13");
  CHECK(chosen(">=3.14", {}) == "3.14");
  CHECK(chosen(">3.13.5", {}) == "3.14");
  CHECK(chosen(">=3.11", "3.14") == "3.14");
  CHECK(chosen(">=3.11", {}, {{"3.15", "3.15.0"}, {"3.14", "3.14.2"}}) == "3.15");
}

TEST_CASE("a Python that does not fit is refused, with the way out") {
  CHECK(chosen(">=3.14", "3.13") ==
        "the script requires Python `>=3.14`, and Python 3.13 is 3.13.5 | leave out `--python` to "
        "use one that fits");
  CHECK(chosen(">=3.15", {}) ==
        "the script requires Python `>=3.15`, and set up here is 3.13.5, 3.14.2 | `pybox setup "
        "--python 3.15` adds one");
  CHECK(chosen("<3.12", {}) ==
        "the script requires Python `<3.12`, and set up here is 3.13.5, 3.14.2 | PyBox has 3.13, "
        "3.14 and 3.15; change the script's requires-python");
  CHECK(chosen(">=3.14", {}, {{"3.13", "3.13.5"}})
            .ends_with("set up here is 3.13.5 | `pybox setup --python 3.14` adds one"));
  // What is not set up is for the search of its image to say.
  CHECK(chosen(">=3.14", "3.15") == "3.15");
  CHECK(chosen(">=3.14", {}, {}) == "3.13");
}

TEST_CASE("the Pythons that are set up are read from the records of their images") {
  const Home home;
  CHECK(installed_pythons(home.dirs).empty());
  home.install("3.13", "3.13.5-2");
  const auto installed = installed_pythons(home.dirs);
  REQUIRE(installed.size() == 1);
  CHECK(installed[0].series == "3.13");
  CHECK(installed[0].release == "3.13.5");
}

TEST_CASE("a script is locked and built once, and other words for the same need nothing new") {
  Home home;
  const auto first = home.go("# dependencies = ['Rich>=13', 'a ; python_version > \"3\"']\n");
  REQUIRE(first);
  CHECK(home.asked.python == "3.13");
  CHECK(home.asked.requirements == "rich>=13\na ; python_version > \"3\"\n");
  CHECK(home.asked.format == ResolveRequest::Format::Requirements);
  CHECK(first->name.starts_with("deps."));
  CHECK(home.built.size() == 1);
  const auto second =
      home.go("#\n# dependencies = [ # the same\n#  'rich >=13','a;python_version > \"3\"',]\n");
  REQUIRE(second);
  CHECK(second->name == first->name);
  CHECK(home.resolved == 1);
  CHECK(home.built.size() == 1);
  // An image that was pruned is built of the lock that is still there.
  home.built.clear();
  REQUIRE(home.go("# dependencies = ['rich>=13', 'a ; python_version > \"3\"']\n"));
  CHECK(home.resolved == 1);
  CHECK(home.built.size() == 1);
  ScriptNeeds other;
  other.python = "3.14";
  const auto newer =
      home.go("# dependencies = ['rich>=13', 'a ; python_version > \"3\"']\n", other);
  REQUIRE(newer);
  CHECK(newer->python == "3.14");
  CHECK(home.resolved == 2);
}

TEST_CASE("a script without dependencies needs no builder") {
  Home home;
  const auto image = home.go("# dependencies = []\n");
  REQUIRE(image);
  CHECK(image->name == "stdlib");
  CHECK(image->python == "3.13");
  CHECK(home.resolved == 0);
  CHECK(home.built.empty());
}

TEST_CASE("a damaged cached lock is made anew") {
  Home home;
  REQUIRE(home.go("# dependencies = ['rich']\n"));
  for (const auto& entry : fs::directory_iterator(home.dirs.cache() / "locks")) {
    std::ofstream(entry.path()) << "rich @ https://example.org\n";
  }
  REQUIRE(home.go("# dependencies = ['rich']\n"));
  CHECK(home.resolved == 2);
}

TEST_CASE("only so many locks are kept") {
  const Home home;
  const auto lock = pypi::parse_requirements_lock("a==1 --hash=sha256:" + kA);
  REQUIRE(lock);
  for (std::size_t i = 0; i < kCachedLocks + 3; ++i) {
    REQUIRE(keep_lock(home.dirs, cached_lock_name(std::to_string(i), "3.13"), *lock));
  }
  int files = 0;
  for (const auto& entry : fs::directory_iterator(home.dirs.cache() / "locks")) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  CHECK(files == int{kCachedLocks});
  REQUIRE(forget_locks(home.dirs));
  CHECK_FALSE(cached_lock(home.dirs, cached_lock_name("9", "3.13")));
  REQUIRE(forget_locks(home.dirs));
}

TEST_CASE("a lock beside the script is what is installed; it must be of this block and Python") {
  Home home;
  home.install("3.13", "3.13.5-2");
  const std::string block = "dependencies = ['rich']\n";
  ScriptNeeds needs;
  needs.lock = pypi::parse_requirements_lock("rich==14.0.0 --hash=sha256:" + kA).value();
  needs.lock_name = "pylock.job.toml";
  needs.lock->made_for_block = digest_of_block(block);
  needs.lock->made_for_python = "3.13";
  REQUIRE(home.go("# " + block, needs));
  CHECK(home.resolved == 0);
  CHECK(home.built.size() == 1);
  const auto refused = [&](const ScriptNeeds& wrong) {
    const auto image = home.go("# " + block, wrong);
    REQUIRE_FALSE(image);
    CHECK(image.error().kind() == ErrorKind::Refused);
    CHECK_FALSE(image.error().hint().empty());
    return image.error().message();
  };
  ScriptNeeds other = needs;
  other.lock->made_for_block = digest_of_block("dependencies = ['rich', 'a']\n");
  CHECK(refused(other) == "pylock.job.toml: it was made for another block than the script has now");
  other = needs;
  other.python = "3.14";
  CHECK(refused(other) == "pylock.job.toml: it was made for Python 3.13, not for 3.14");
  other = needs;
  other.lock->requires_python = ">=3.14";
  CHECK(refused(other) ==
        "pylock.job.toml: it requires Python `>=3.14`, and Python 3.13 is 3.13.5");
  // Without a word of the user the lock's Python is taken.
  other = needs;
  other.lock->made_for_python = "3.14";
  const auto newer = home.go("# " + block, other);
  REQUIRE(newer);
  CHECK(newer->python == "3.14");
}

TEST_CASE("what fails on the way says which script it was for") {
  Home home;
  home.parts.resolve = [](const ResolveRequest&) -> Result<std::string> {
    return Error(ErrorKind::HostCannot, "no version fits");
  };
  const auto failed = home.go("# dependencies = ['rich']\n");
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message() == "locking what job.py needs: no version fits");
  home.parts.resolve = [](const ResolveRequest&) -> Result<std::string> {
    return std::string("rich\n");
  };
  CHECK(home.go("# dependencies = ['rich']\n").error().message() ==
        "the lock that uv made: line 1: `rich` is not pinned to one version with `==`");
}

}  // namespace pybox::builder
