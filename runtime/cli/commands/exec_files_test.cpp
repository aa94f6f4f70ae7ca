#include "cli/commands/exec_for_tests.hpp"

namespace pybox::cli {
namespace {

void write(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

/// An engine whose program left two files.
run::Behaviour leaves_two_files() {
  return [](const link::RunOrder&, const engine::Console&) {
    engine::RunAnswer answer;
    answer.report = sample_report();
    answer.report.files.status = Files::Status::Received;
    answer.report.files.returned = {{"a", 1, sha256_hex("1"), "1"},
                                    {"d/b", 2, sha256_hex("22"), "22"}};
    answer.report.outcome.exit_code = 3;
    return answer;
  };
}

}  // namespace

TEST_CASE("inputs travel with the order and their digests with the receipt") {
  Run run;
  write(run.home / "in/a.csv", "1,2");
  fs::create_directories(run.home / "in/empty");
  run.options.inputs = {run.home / "in"};
  CHECK(run.go() == 0);
  REQUIRE(run.seen);
  REQUIRE(run.seen->request.inputs.size() == 3);
  CHECK_FALSE(run.seen->request.return_files);
  const Receipt receipt = run.receipt();
  REQUIRE(receipt.files_in.size() == 1);
  CHECK(receipt.files_in[0].name == "in/a.csv");
  CHECK(receipt.files_in[0].sha256 == sha256_hex("1,2"));
}

TEST_CASE("returned files stand in the folder, and the summary and the receipt say so") {
  Run run;
  run.options.output = run.home / "out";
  run.behaviour = leaves_two_files();
  CHECK(run.go() == 3);
  CHECK(run.seen->request.return_files);
  CHECK(sys::read_file(run.home / "out/a").value() == "1");
  CHECK(sys::read_file(run.home / "out/d/b").value() == "22");
  CHECK(run.err.find("files      2 files back, 3 B, in " + (run.home / "out").string()) !=
        std::string::npos);
  const Receipt receipt = run.receipt();
  CHECK(receipt.request.return_files);
  CHECK(receipt.report.files.status == Files::Status::Received);
  CHECK(receipt.report.files.returned.size() == 2);
}

TEST_CASE("a refused transfer makes no folder and keeps the program's exit code") {
  Run run;
  run.options.output = run.home / "out";
  run.behaviour = [](const link::RunOrder&, const engine::Console&) {
    engine::RunAnswer answer;
    answer.report = sample_report();
    answer.report.files.status = Files::Status::Refused;
    answer.report.files.omitted_total = 2;
    return answer;
  };
  CHECK(run.go() == 0);
  CHECK_FALSE(fs::exists(run.home / "out"));
  CHECK(run.err.find("transfer refused") != std::string::npos);
  CHECK(run.err.find("differ only in case or normalisation") != std::string::npos);
}

TEST_CASE("files that cannot be written are said, listed in the receipt, and exit with 125") {
  Run run;
  run.options.output = run.home / "out";
  run.behaviour = [&](const link::RunOrder& order, const engine::Console& console) {
    write(run.home / "out/theirs", "x");
    return leaves_two_files()(order, console);
  };
  CHECK(run.go() == 125);
  CHECK(run.err.find("error: the files for `" + (run.home / "out").string() +
                     "`: giving the finished folder its name: ") != std::string::npos);
  const Receipt receipt = run.receipt();
  CHECK(receipt.report.files.status == Files::Status::NotReceived);
  CHECK(receipt.report.files.returned.empty());
  CHECK(receipt.report.files.omitted_total == 2);
  CHECK(receipt.report.outcome.exit_code == 3);
}

TEST_CASE("inputs and output folders that will not do are refused before any box, with a receipt") {
  const auto refused = [](Run& run, const std::string& part) {
    CHECK(run.go() == 126);
    CHECK(run.err.find(part) != std::string::npos);
    CHECK_FALSE(run.was_run);
    const Receipt receipt = run.receipt();
    CHECK(receipt.report.cleanup.status == Cleanup::Status::NotAttempted);
    CHECK(receipt.report.outcome.evidence.at(0).find(part) != std::string::npos);
  };
  Run large;
  write(large.home / "big", std::string(9U << 20U, 'x'));
  large.options.inputs = {large.home / "big"};
  refused(large, "of 9 MiB is too large: at most 8 MiB are handed in, in all");
  Run twice;
  write(twice.home / "x/a", "");
  write(twice.home / "y/a", "");
  twice.options.inputs = {twice.home / "x/a", twice.home / "y/a"};
  refused(twice, "another input has the same name");
  Run linked;
  fs::create_symlink("/etc/passwd", linked.home / "link");
  linked.options.inputs = {linked.home / "link"};
  refused(linked, "is a link, which is not followed");
  Run full;
  write(full.home / "out/f", "");
  full.options.output = full.home / "out";
  refused(full, "is not empty");
  CHECK(full.receipt().report.files.status == Files::Status::NotReceived);
}

}  // namespace pybox::cli
