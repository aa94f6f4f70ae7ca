#include <sys/stat.h>

#include "cli/commands/exec_for_tests.hpp"

namespace pybox::cli {

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
  for (const double seconds : {1e308, -1e300, -5.0}) {
    Run run;
    run.options.timeout_s = seconds;
    run.options.json = true;
    CHECK(run.go() == (seconds > 0 ? 126 : 2));
    CHECK((run.out.empty() || run.out.find("\"timeout_s\": null") != std::string::npos));
    CHECK((run.out.empty() || receipt_from_json(run.out)));
  }
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

TEST_CASE("a receipt file that cannot be written is said before anything runs") {
  Run run;
  run.options.receipt_file = (run.home / "gone" / "r.json").string();
  CHECK(run.go() == 125);
  CHECK(run.err == "error: the receipt cannot be written to `" + *run.options.receipt_file +
                       "`: No such file or directory\n");
  CHECK_FALSE(run.was_run);
  CHECK(run.receipt().report.outcome.observation == Observation::NotStarted);
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

}  // namespace pybox::cli
