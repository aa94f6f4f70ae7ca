#include "cli/exec.hpp"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "base/digest.hpp"
#include "cli/capture_for_tests.hpp"
#include "cli/process_setup.hpp"
#include "receipt/keys.hpp"
#include "receipt/sample_for_tests.hpp"
#include "receipt/store.hpp"
#include "receipt/verify.hpp"
#include "sys/file.hpp"

namespace pybox::cli {
namespace {

namespace fs = std::filesystem;

/// Stands in for an engine: answers at once with what the test wants.
using Behaviour =
    std::function<Result<engine::RunAnswer>(const link::RunOrder&, const engine::Console&)>;

class FakeEngine final : public engine::Engine {
 public:
  explicit FakeEngine(Behaviour behaviour) : behaviour_(std::move(behaviour)) {}
  Result<engine::RunAnswer> run(const link::RunOrder& order,
                                const engine::Console& console) override {
    return behaviour_(order, console);
  }

 private:
  Behaviour behaviour_;
};

/// One `pybox exec` in an installation of its own.
class Run {
 public:
  Run() : home(fs::temp_directory_path() / ("exec-" + random_hex(6))) {
    fs::create_directory(home);
    ::setenv("PYBOX_HOME", (home / "pybox").c_str(), 1);
    ::setenv("XDG_CONFIG_HOME", (home / "config").c_str(), 1);
    ::unsetenv("PYBOX_ENGINE");
    options.program = {ProgramSource::Kind::Code, "print('hello')"};
    parts.find_image = [](const sys::StateDirs&, std::string_view name,
                          std::string_view python) -> Result<image::Image> {
      if (name == "stdlib" && python == "3.13") {
        return image::Image{"stdlib", "sha256:" + sha256_hex("image"), "3.13", "", ""};
      }
      return Error(ErrorKind::Refused, "there is no image `" + std::string(name) + "`");
    };
    behaviour = [](const link::RunOrder&, const engine::Console& console) {
      engine::RunAnswer answer;
      answer.report = sample_report();
      if (console.output) console.output(1, "hello\n");
      return answer;
    };
    parts.make_engine = [this](EngineKind kind) {
      engine_kind = kind;
      return std::make_unique<FakeEngine>([this](const auto& order, const auto& console) {
        was_run = true;
        seen = order;
        return behaviour(order, console);
      });
    };
  }
  ~Run() { fs::remove_all(home); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// The exit code, 2 for an Error, whose texts become err.
  int go() {
    Captured captured;
    auto code = run_exec(options, parts);
    captured.stop();
    out = captured.out();
    err = captured.err();
    if (code) return *code;
    CHECK(code.error().kind() == ErrorKind::Usage);
    err += error_text(code.error(), false);
    return 2;
  }

  sys::StateDirs dirs() const { return sys::state_dirs().value(); }

  /// The one receipt that was kept, verified.
  Receipt receipt() const {
    const auto kept = list_receipts(dirs());
    REQUIRE(kept.size() == 1);
    const std::string text = sys::read_file(kept[0].file).value();
    const PublicKey key = load_public_key(public_key_file(dirs())).value();
    auto verified = verify_receipt(text, key);
    INFO((verified ? "" : verified.error().message()));
    REQUIRE(verified);
    return std::move(verified->receipt);
  }

  void settings(std::string_view text) const {
    fs::create_directories(home / "config/pybox");
    std::ofstream(home / "config/pybox/config.json") << text;
  }

  fs::path home;
  ExecOptions options;
  ExecParts parts;
  Behaviour behaviour;
  std::optional<EngineKind> engine_kind;
  std::optional<link::RunOrder> seen;
  bool was_run = false;
  std::string out;
  std::string err;
};

}  // namespace

TEST_CASE("a run hands its order over and brings output, summary and receipt back") {
  Run run;
  run.options.args = {"a b", "--x"};
  run.options.timeout_s = 3.5;
  CHECK(run.go() == 0);
  CHECK(run.out == "hello\n");
  CHECK(run.err.starts_with("pybox: ended by itself, exit code 0\n"));
  CHECK(run.engine_kind == EngineKind::Vm);
  REQUIRE(run.seen);
  CHECK(run.seen->request.program == "print('hello')");
  CHECK(run.seen->request.program_name == "main.py");
  CHECK(run.seen->request.args == std::vector<std::string>{"a b", "--x"});
  CHECK(run.seen->request.timeout == Millis(3500));
  CHECK(run.seen->request.limits.memory == 128_MiB);
  CHECK(run.seen->code_sha256 == sha256_hex("print('hello')"));
  CHECK(run.seen->image_id == "sha256:" + sha256_hex("image"));
  CHECK(run.seen->stream_output);
  const Receipt receipt = run.receipt();
  CHECK(receipt.receipt_id == run.seen->receipt_id);
  CHECK(receipt.created_at == run.seen->created_at);
  CHECK(receipt.report.outcome.exit_code == 0);
}

TEST_CASE("--json prints the receipt alone, --quiet drops the summary") {
  Run json;
  json.options.json = true;
  CHECK(json.go() == 0);
  CHECK_FALSE(json.seen->stream_output);
  CHECK(receipt_from_json(json.out));
  CHECK(json.err.empty());

  Run quiet;
  quiet.options.quiet = true;
  CHECK(quiet.go() == 0);
  CHECK(quiet.out == "hello\n");
  CHECK(quiet.err.empty());
}

TEST_CASE("the flag beats PYBOX_ENGINE, which beats the settings, which beat the default") {
  Run run;
  CHECK((run.go(), run.engine_kind) == EngineKind::Vm);
  run.settings(R"({"engine": "native"})");
  CHECK((run.go(), run.engine_kind) == EngineKind::Native);
  ::setenv("PYBOX_ENGINE", "vm", 1);
  CHECK((run.go(), run.engine_kind) == EngineKind::Vm);
  run.options.engine = "native";
  CHECK((run.go(), run.engine_kind) == EngineKind::Native);
}

TEST_CASE("wrong words are usage errors: nothing runs and no receipt is written") {
  const auto refused = [](Run& run, const std::string& message) {
    CHECK(run.go() == 2);
    CHECK(run.err == message);
    CHECK_FALSE(run.was_run);
    CHECK(list_receipts(run.dirs()).empty());
  };
  Run engine;
  engine.options.engine = "docker";
  refused(engine, "error: `--engine` names the engine `docker`; it must be vm or native\n");
  Run variable;
  ::setenv("PYBOX_ENGINE", "unsealed", 1);
  refused(variable, "error: PYBOX_ENGINE names the engine `unsealed`; it must be vm or native\n");
  Run time;
  time.options.timeout_s = 0;
  refused(time, "error: the timeout must be more than 0 seconds\n");
  Run file;
  file.options.program = {ProgramSource::Kind::File, "/nonexistent.py"};
  refused(file, "error: reading the program `/nonexistent.py`: No such file or directory\n");
  Run input;
  input.options.stdin_source = {StdinSource::Kind::File, "/nonexistent"};
  refused(input, "error: `--stdin`: opening /nonexistent: No such file or directory\n");
  Run folder;
  folder.options.stdin_source = {StdinSource::Kind::File, "/"};
  refused(folder, "error: `--stdin`: `/` is a folder, not a file\n");
  Run settings;
  settings.settings("{\"a\":1}");
  refused(settings, "error: " + (settings.home / "config/pybox/config.json").string() +
                        ": unknown key `a`\n");
}

TEST_CASE("wrong usage is said before a refusal") {
  Run run;
  run.options.timeout_s = 1e99;  // would be refused
  run.options.program = {ProgramSource::Kind::File, "/nonexistent.py"};
  CHECK(run.go() == 2);
}

TEST_CASE("what is refused exits with 126, runs nothing and leaves a receipt that says why") {
  Run run;
  run.options.timeout_s = 31;
  CHECK(run.go() == 126);
  CHECK(run.err ==
        "error: a timeout of 31 s is above the ceiling of 30 s\n"
        "hint: ask for at most 30 s, or raise `max_timeout_s` in config.json (at most 300)\n");
  CHECK_FALSE(run.was_run);
  const Receipt receipt = run.receipt();
  CHECK(receipt.report.outcome.observation == Observation::NotStarted);
  CHECK(receipt.report.cleanup.status == Cleanup::Status::NotAttempted);
  CHECK(receipt.report.outcome.evidence.at(0) ==
        "not started: a timeout of 31 s is above the ceiling of 30 s");
  CHECK(receipt.request.timeout == std::chrono::seconds(31));
  CHECK(receipt.code_sha256 == sha256_hex("print('hello')"));
}

TEST_CASE("a time that no receipt can hold is refused all the same") {
  Run run;
  run.options.timeout_s = 1e308;
  run.options.json = true;
  CHECK(run.go() == 126);
  CHECK(run.out.find("\"timeout_s\": null") != std::string::npos);
  CHECK(receipt_from_json(run.out));
}

TEST_CASE("an unknown image and a program that is too large are refused with a receipt") {
  Run image;
  image.options.image = "nothing";
  CHECK(image.go() == 126);
  CHECK(image.err == "error: there is no image `nothing`\n");
  CHECK(image.receipt().image_id.empty());

  Run large;
  large.options.program.word = std::string(ceiling::kProgramBytes.count + 1, '#');
  CHECK(large.go() == 126);
  CHECK(large.receipt().code_sha256.empty());
}

TEST_CASE("the operator's ceiling in the settings counts, also below the default time") {
  Run run;
  run.settings(R"({"max_timeout_s": 0.5})");
  CHECK(run.go() == 0);
  CHECK(run.seen->request.timeout == Millis(500));
  run.options.timeout_s = 0.6;
  CHECK(run.go() == 126);
  run.settings(R"({"max_timeout_s": 300})");
  run.options.timeout_s = 300;
  CHECK(run.go() == 0);
}

TEST_CASE("an engine that is not there exits with 125 and says how to start it") {
  Run run;
  run.behaviour = [](const auto&, const auto&) -> Result<engine::RunAnswer> {
    return Error(ErrorKind::NotRunning, "the VM is not running")
        .hint("start it with `pybox vm start`");
  };
  CHECK(run.go() == 125);
  CHECK(run.out.empty());
  CHECK(run.err == "error: the VM is not running\nhint: start it with `pybox vm start`\n");
  const Receipt receipt = run.receipt();
  CHECK(receipt.report.cleanup.status == Cleanup::Status::NotAttempted);
  CHECK(receipt.hints.at(0) == "start it with `pybox vm start`");
}

TEST_CASE("what boxd refuses exits with 126, what it cannot do with 125") {
  for (const bool refused : {true, false}) {
    Run run;
    run.behaviour = [&](const auto&, const auto&) {
      engine::RunAnswer answer;
      answer.report.failure = {refused, "no memory controller", "mount one"};
      return answer;
    };
    CHECK(run.go() == (refused ? 126 : 125));
    CHECK(run.err == "error: no memory controller\nhint: mount one\n");
    CHECK(run.receipt().report.outcome.evidence.at(0) == "not started: no memory controller");
  }
}

TEST_CASE("a lost box and an unconfirmed removal are errors, also when quiet") {
  Run lost;
  lost.options.quiet = true;
  lost.behaviour = [](const auto&, const auto&) {
    engine::RunAnswer answer;
    answer.report.outcome.observation = Observation::BoxLost;
    return answer;
  };
  CHECK(lost.go() == 125);
  CHECK(lost.err ==
        "error: the box was lost; how the program ended is unknown\n"
        "hint: the VM ended during the run: see `pybox vm logs`, then `pybox vm start`\n");

  Run unconfirmed;
  unconfirmed.options.quiet = true;
  unconfirmed.behaviour = [](const auto&, const auto&) {
    engine::RunAnswer answer;
    answer.report = sample_report();
    answer.report.cleanup.status = Cleanup::Status::Unconfirmed;
    return answer;
  };
  CHECK(unconfirmed.go() == 125);
  CHECK(unconfirmed.err ==
        "error: the removal of the box is not confirmed\n"
        "hint: the box may still be there: it ends by itself at its timer, and the next start "
        "sweeps\n");
  CHECK(unconfirmed.receipt().report.outcome.exit_code == 0);
}

TEST_CASE("a signal reaches the engine, and the cancelled run exits with 130 and a receipt") {
  prepare_process();
  Run run;
  run.behaviour = [](const auto&, const engine::Console& console) {
    ::kill(::getpid(), SIGTERM);
    pollfd one{console.cancel_fd, POLLIN, 0};
    engine::RunAnswer answer;
    answer.report = sample_report();
    if (::poll(&one, 1, 1000) == 1) {
      answer.report.outcome.observation = Observation::CancelKill;
      answer.report.outcome.exit_code = 137;
      answer.report.outcome.signal = 9;
    }
    return answer;
  };
  CHECK(run.go() == 130);
  // Still pending: taken off, so that no later test of this process meets it.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  const timespec none{};
  CHECK(::sigtimedwait(&set, nullptr, &none) == SIGTERM);
  CHECK(run.err.starts_with("pybox: cancelled\n"));
  CHECK(run.receipt().report.outcome.observation == Observation::CancelKill);
}

TEST_CASE("--receipt writes the same text as is kept, whatever the exit code") {
  Run run;
  const fs::path file = run.home / "r.json";
  run.options.receipt_file = file.string();
  CHECK(run.go() == 0);
  CHECK(sys::read_file(file).value() == sys::read_file(list_receipts(run.dirs())[0].file).value());
  run.options.timeout_s = 31;
  CHECK(run.go() == 126);
  CHECK(receipt_from_json(sys::read_file(file).value())->report.outcome.observation ==
        Observation::NotStarted);
}

TEST_CASE("a receipt file that cannot be written is said before anything runs") {
  Run run;
  run.options.receipt_file = (run.home / "gone" / "r.json").string();
  CHECK(run.go() == 125);
  CHECK(run.err == "error: the receipt cannot be written to `" + *run.options.receipt_file +
                       "`: No such file or directory\n");
  CHECK_FALSE(run.was_run);
  CHECK(run.receipt().report.outcome.observation == Observation::NotStarted);
}

TEST_CASE("a receipt file that fails after the run turns its exit code into 125") {
  Run run;
  const fs::path folder = run.home / "out";
  fs::create_directory(folder);
  run.options.receipt_file = (folder / "r.json").string();
  run.behaviour = [&](const auto&, const auto&) {
    fs::remove(folder);
    engine::RunAnswer answer;
    answer.report = sample_report();
    return answer;
  };
  CHECK(run.go() == 125);
  CHECK(run.err.find("error: the receipt cannot be written to") != std::string::npos);
  CHECK(run.receipt().report.outcome.exit_code == 0);
}

TEST_CASE("a key that others can read stops the run before it starts") {
  Run run;
  REQUIRE(load_or_make_key(run.dirs()));
  ::chmod(private_key_file(run.dirs()).c_str(), 0644);
  run.options.json = true;
  CHECK(run.go() == 125);
  CHECK(run.err.starts_with("error: other users can use the key file"));
  CHECK_FALSE(run.was_run);
  CHECK(run.out.find("\"signature\": null") != std::string::npos);
}

TEST_CASE("a state folder that cannot be made stops the run, and is reported once") {
  Run run;
  std::ofstream(run.home / "pybox") << "a file where the folder should be";
  CHECK(run.go() == 125);
  CHECK_FALSE(run.was_run);
  CHECK(run.err.find("error:") == run.err.rfind("error:"));
}

TEST_CASE("without HOME nothing runs, and --receipt still tells why") {
  Run run;
  run.options.receipt_file = (run.home / "r.json").string();
  ::unsetenv("PYBOX_HOME");
  ::unsetenv("XDG_DATA_HOME");
  ::unsetenv("HOME");
  CHECK(run.go() == 125);
  CHECK(run.err.starts_with("error: neither HOME nor PYBOX_HOME names a folder\n"));
  const auto receipt = receipt_from_json(sys::read_file(run.home / "r.json").value());
  REQUIRE(receipt);
  CHECK(receipt->report.outcome.observation == Observation::NotStarted);
}

TEST_CASE("the program's stdin is what was asked for") {
  Run empty;
  CHECK(empty.go() == 0);
  CHECK_FALSE(empty.seen->has_stdin);

  Run file;
  std::ofstream(file.home / "in.txt") << "3 4\n";
  file.options.stdin_source = {StdinSource::Kind::File, (file.home / "in.txt").string()};
  std::string read;
  file.behaviour = [&](const auto&, const engine::Console& console) {
    read = sys::read_to_end(console.stdin_fd, 100).value();
    engine::RunAnswer answer;
    answer.report = sample_report();
    return answer;
  };
  CHECK(file.go() == 0);
  CHECK(file.seen->has_stdin);
  CHECK(read == "3 4\n");
}

TEST_CASE("on a terminal the summary starts on a line of its own") {
  Run run;
  run.parts.terminal.out_is_terminal = true;
  run.behaviour = [](const auto&, const engine::Console& console) {
    console.output(1, "no newline");
    engine::RunAnswer answer;
    answer.report = sample_report();
    return answer;
  };
  CHECK(run.go() == 0);
  CHECK(run.out == "no newline");
  CHECK(run.err.starts_with("\npybox: ended"));
}

}  // namespace pybox::cli
