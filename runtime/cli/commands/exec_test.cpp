#include "cli/commands/exec_run.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "cli/commands/exec_for_tests.hpp"
#include "cli/terminal/process_setup.hpp"

namespace pybox::cli {

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

TEST_CASE("with --json the receipt is printed alone, with --quiet no summary") {
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
        "error: the removal of the box is not confirmed\nhint: the box may still be there: it ends "
        "at its timer, and the next run removes leftovers\n");
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

TEST_CASE("the file of --receipt holds the text that is kept, whatever the exit code") {
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
