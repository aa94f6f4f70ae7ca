#include <fstream>

#include "cli/commands/exec_for_tests.hpp"

namespace pybox::cli {
namespace {

/// `pybox exec job.py --with-deps` with a made-up builder.
class DepsRun : public Run {
 public:
  explicit DepsRun(const std::string& script) {
    std::ofstream(home / "job.py") << script;
    options.program = {ProgramSource::Kind::File, (home / "job.py").string()};
    options.with_deps = true;
    parts.image_for_script =
        [this](const sys::StateDirs&,
               const builder::ScriptNeeds& asked) -> Result<builder::ScriptImage> {
      needs = asked;
      return builder::ScriptImage{"deps.1", "3.14"};
    };
    parts.run.find_image = [](const sys::StateDirs&, std::string_view name,
                              std::string_view python) -> Result<store::Image> {
      store::Image found;
      found.name = name;
      found.id = "sha256:" + sha256_hex("image");
      found.python = python;
      return found;
    };
  }

  std::optional<builder::ScriptNeeds> needs;
};

const std::string kBlock = "# /// script\n# dependencies = ['rich']\n# ///\n";
const std::string kLock =
    "lock-version = '1.0'\n[[packages]]\nname = 'rich'\nversion = '1'\nwheels = ["
    "{ url = 'rich-1-py3-none-any.whl', hashes = { sha256 = '" +
    std::string(64, 'a') + "' } }]\n";

}  // namespace

TEST_CASE("a run --with-deps is in the image that the script's block asks for") {
  DepsRun run(kBlock);
  CHECK(run.go() == 0);
  REQUIRE(run.needs);
  CHECK(run.needs->name == "job.py");
  CHECK(pypi::to_requirements(run.needs->script.dependencies) == "rich\n");
  CHECK_FALSE(run.needs->lock);
  CHECK_FALSE(run.needs->python);
  CHECK(run.seen->request.image == "deps.1");
  CHECK(run.seen->request.python == "3.14");
  CHECK(run.seen->request.limits.memory == 512_MiB);
  const Receipt receipt = run.receipt();
  CHECK(receipt.request.image == "deps.1");
  CHECK(receipt.request.python == "3.14");
  CHECK(receipt.request.limits.memory == 512_MiB);
}

TEST_CASE("without --with-deps a block is a comment") {
  DepsRun run(kBlock);
  run.options.with_deps = false;
  CHECK(run.go() == 0);
  CHECK_FALSE(run.needs);
  CHECK(run.seen->request.image == "stdlib");
}

TEST_CASE("a lock beside the script is read, and must be one") {
  DepsRun run(kBlock);
  std::ofstream(run.home / "pylock.job.toml") << kLock;
  CHECK(run.go() == 0);
  REQUIRE(run.needs->lock);
  CHECK(run.needs->lock->pins.at(0).name == "rich");
  DepsRun damaged(kBlock);
  std::ofstream(damaged.home / "pylock.job.toml") << kLock << "marker = 'x'\n";
  CHECK(damaged.go() == 126);
  CHECK(damaged.err ==
        "error: pylock.job.toml: line 3: `rich` has a marker; lock for one platform and Python\n");
  CHECK_FALSE(damaged.was_run);
  CHECK(damaged.receipt().report.outcome.observation == Observation::NotStarted);
  DepsRun unreadable(kBlock);
  fs::create_directory(unreadable.home / "pylock.job.toml");
  CHECK(unreadable.go() == 126);
}

TEST_CASE("a block that does not read is refused with its line, and a receipt") {
  DepsRun twice(kBlock + "\n" + kBlock);
  CHECK(twice.go() == 126);
  CHECK(twice.err == "error: job.py: line 5: a second `script` block; the first is in line 1\n");
  CHECK_FALSE(twice.was_run);
  CHECK(twice.receipt().image_id.empty());
  DepsRun unclosed("# /// script\n# dependencies = ['rich']\n");
  CHECK(unclosed.go() == 126);
  CHECK(unclosed.err ==
        "error: job.py: the block of line 1 is not closed by a line `# ///`\n"
        "hint: a block is `# /// script`, comment lines, `# ///` (PEP 723)\n");
}

TEST_CASE("a script without block runs, and the user is told") {
  DepsRun run("print(1)\n");
  CHECK(run.go() == 0);
  CHECK(run.err.starts_with(
      "note: job.py has no `# /// script` block; nothing is installed for it\n"));
  run.options.quiet = true;
  CHECK(run.go() == 0);
  CHECK(run.err.empty());
}

TEST_CASE("what the builder cannot do ends the run with its words") {
  DepsRun run(kBlock);
  run.parts.image_for_script = [](const sys::StateDirs&,
                                  const builder::ScriptNeeds&) -> Result<builder::ScriptImage> {
    return Error(ErrorKind::HostCannot, "no network").hint("later");
  };
  CHECK(run.go() == 125);
  CHECK(run.err == "error: no network\nhint: later\n");
}

}  // namespace pybox::cli
