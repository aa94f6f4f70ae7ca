#include "cli/words/lock_words.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "base/digest.hpp"
#include "builder/script_image.hpp"

namespace pybox::cli {
namespace {

namespace fs = std::filesystem;
using Format = builder::ResolveRequest::Format;

class Folder {
 public:
  Folder() : path(fs::temp_directory_path() / ("lock-words-" + random_hex(6))) {
    fs::create_directory(path);
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  Result<LockPlan> plan(const std::string& name, const std::string& text,
                        std::map<std::string, std::string, std::less<>> options = {}) const {
    std::ofstream(path / name) << text;
    Words words;
    words.positionals = {(path / name).string()};
    words.options = std::move(options);
    return lock_plan(words);
  }

  fs::path path;
};

const std::string kScript =
    "# /// script\n# requires-python = '>=3.13'\n# dependencies = ['Rich']\n# ///\n";

}  // namespace

TEST_CASE("requirements are locked to stdout or to a file, in the form of its name") {
  const Folder folder;
  const auto plan = folder.plan("tools.in", "Tabulate\nrich>=13 # pretty\n");
  REQUIRE(plan);
  CHECK(plan->shown == "tools.in");
  CHECK(plan->request.requirements == "tabulate\nrich>=13\n");
  CHECK(plan->request.format == Format::Requirements);
  CHECK_FALSE(plan->output);
  CHECK(with_origin(*plan, "text") == "text");
  CHECK(folder.plan("tools.in", "a", {{"-o", "x.lock"}})->request.format == Format::Requirements);
  CHECK(folder.plan("tools.in", "a", {{"-o", "pylock.toml"}})->request.format == Format::Pylock);
}

TEST_CASE("a script's lock stands beside it and says what it was made for") {
  const Folder folder;
  auto plan = folder.plan("my.job.py", kScript, {{"--python", "3.14"}});
  REQUIRE(plan);
  CHECK(plan->output == folder.path / "pylock.my-job.toml");
  CHECK(plan->request.format == Format::Pylock);
  CHECK(plan->request.requirements == "rich\n");
  CHECK(plan->requires_python == ">=3.13");
  CHECK(plan->python == "3.14");
  plan->request.python = "3.14";
  const std::string wheel =
      "{ url = 'https://example.org/rich-15.0.0-py3-none-any.whl', hashes = { sha256 = '" +
      std::string(64, 'a') + "' } }";
  const std::string text = with_origin(*plan,
                                       "lock-version = '1.0'\n[[packages]]\nname = 'rich'\n"
                                       "version = '15.0.0'\nwheels = [" +
                                           wheel + "]");
  const auto lock = parse_made_lock(*plan, text);
  REQUIRE(lock);
  CHECK(lock->made_for_python == "3.14");
  CHECK(lock->made_for_block ==
        builder::digest_of_block("requires-python = '>=3.13'\ndependencies = ['Rich']\n"));
  plan->output = "pylock.my-job.toml";
  CHECK(lock_summary(*plan, *lock) == "pylock.my-job.toml: 1 package for Python 3.14\n");
}

TEST_CASE("what cannot be locked is said before anything starts") {
  const Folder folder;
  const auto message = [](const Result<LockPlan>& plan) {
    REQUIRE_FALSE(plan);
    return plan.error().message();
  };
  CHECK(message(folder.plan("a.in", "a\n-r b.in\n")) ==
        "a.in: line 2: `-r b.in` is an option; only dependencies are allowed here");
  CHECK(message(folder.plan("a.in", "")) == "a.in: it names no dependency");
  CHECK(message(folder.plan("a.py", "print(1)\n")) ==
        "a.py: it has no `# /// script` block (PEP 723)");
  CHECK(message(folder.plan("a.py", "# /// script\n# dependencies = ['a']\n")) ==
        "a.py: the block of line 1 is not closed by a line `# ///`");
  CHECK(message(folder.plan("a.py", "# /// script\n# dependencies = ['a @ x:']\n# ///\n")) ==
        "a.py: line 2: `a @ x:` is a link; only packages of the index can be locked");
  CHECK(message(folder.plan("a.py", "# /// script\n# ///\n")) ==
        "a.py: its block names no dependency to lock");
  const auto other = folder.plan("a.py", kScript, {{"-o", "a.lock"}});
  CHECK(message(other) == "the lock of a script is a pylock.toml (PEP 751); `-o` names `a.lock`");
  CHECK(other.error().kind() == ErrorKind::Usage);
  Words words;
  words.positionals = {(folder.path / "gone.in").string()};
  CHECK(lock_plan(words).error().kind() == ErrorKind::Usage);
}

}  // namespace pybox::cli
