#include <catch2/catch_test_macros.hpp>

#include "campaign/cli/commands.hpp"
#include "campaign/cli/evidence_folder.hpp"
#include "campaign/cli/list_json.hpp"
#include "campaign/cli/summary.hpp"
#include "cli/terminal/golden_for_tests.hpp"
#include "cli/words/help.hpp"
#include "files/folder_for_tests.hpp"

namespace pybox::campaign {
namespace {

Evidence sample_evidence() {
  Evidence evidence;
  evidence.verdict = "broken";
  evidence.protections = {{"ns.net", true},   {"sec.sock", false},  {"cg.mem", false},
                          {"cg.swap", false}, {"cred.caps", false}, {"rl.core", false}};
  const auto add = [&](const char* area, const char* id, Verdict verdict, const char* why,
                       const std::vector<std::string>& cut) {
    CheckResult check;
    check.area = area;
    check.id = id;
    check.engine = EngineKind::Native;
    check.verdict = verdict;
    check.why = why;
    check.arms.resize(1);
    check.arms[0].arm = kControl;
    check.arms[0].removed = cut;
    evidence.checks.push_back(check);
  };
  add("resources", "mem.heap", Verdict::Unmet, "needs swap", {"cg.swap"});
  add("restrictions", "net.abstract", Verdict::Held, "blocked", {"cred.caps", "ns.net"});
  add("restrictions", "net.loopback", Verdict::Broken, "the attack came\x1b[2J through",
      {"ns.net", "cred.caps"});
  add("restrictions", "net.vsock", Verdict::NotApplicable, "there is no such thing here",
      {"sec.sock"});
  return evidence;
}

TEST_CASE("the summary shows areas and verdicts, what is not proven, and the whole") {
  const Evidence evidence = sample_evidence();
  std::string text;
  for (const CheckResult& check : evidence.checks) text += verdict_line(check) + "\n";
  check_golden("campaign/cli/golden/summary.txt", text + summary_text(evidence, false));
}

TEST_CASE("a held campaign with every protection proven says just that") {
  Evidence evidence;
  evidence.verdict = "held";
  evidence.protections = {{"ns.net", true}};
  CHECK(summary_text(evidence, false)
            .ends_with("protections proven by a control: 1 of 1\nverdict: held\n"));
  CHECK(summary_text(evidence, true).find("\x1b[32mheld") != std::string::npos);
}

sys::StateDirs dirs_in(const files::TestFolder& folder) {
  return {
      .home = folder.path / "home", .run = folder.path / "run", .config = folder.path / "config"};
}

TEST_CASE(
    "evidence goes to a folder that tells its time, or where it is told, never over another") {
  files::TestFolder folder;
  const sys::StateDirs dirs = dirs_in(folder);
  const std::string id = "0123456789abcdef0123456789abcdef";
  const std::string created = "2026-11-30T01:30:46.123Z";
  const auto made = make_evidence_folder({}, dirs, id, created);
  REQUIRE(made.has_value());
  CHECK(made.value() == dirs.home / "evidence" / "20261130T013046Z-01234567");
  CHECK(std::filesystem::is_directory(made.value() / "raw"));
  const auto again = make_evidence_folder({}, dirs, id, created);
  REQUIRE_FALSE(again.has_value());
  CHECK(again.error().kind() == ErrorKind::Refused);
  CHECK(again.error().message().ends_with("is not empty"));
  CHECK(again.error().hint() ==
        "choose a new folder, or continue an interrupted campaign with `--resume`");
  const std::string out = folder.at("out");
  CHECK(make_evidence_folder(out, dirs, id, created).value() == out);
}

TEST_CASE("without an interrupted campaign there is nothing to resume") {
  files::TestFolder folder;
  const auto none = folder_to_resume({}, dirs_in(folder));
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().kind() == ErrorKind::Usage);
  CHECK(none.error().message() == "there is no interrupted campaign to continue");
  CHECK(none.error().hint() == "`--out DIR` names one elsewhere");
}

TEST_CASE("the chain links each line to the one before and knows the last that finished") {
  files::TestFolder folder;
  const sys::StateDirs dirs = dirs_in(folder);
  CHECK_FALSE(last_finished(dirs).has_value());
  const auto add = [&](const char* event, const char* name) {
    return append_to_chain(dirs, {.event = event,
                                  .id = name,
                                  .folder = name,
                                  .plan_sha256 = std::string(64, 'a'),
                                  .manifest_sha256 = {},
                                  .verdict = {}});
  };
  REQUIRE(add("started", "one").has_value());
  REQUIRE(add("finished", "one").has_value());
  REQUIRE(add("started", "two").has_value());
  CHECK_FALSE(last_finished(dirs).has_value());  // its folder is not there
  folder.file("home/evidence/one/manifest.sha256", "x");
  CHECK(last_finished(dirs) == dirs.home / "evidence" / "one");
  const std::string chain = folder.text("home/evidence/CHAIN.jsonl");
  const std::string first = chain.substr(0, chain.find('\n'));
  CHECK(first.find("\"prev\":\"" + std::string(64, '0')) != std::string::npos);
  CHECK(chain.find("\"prev\":\"" + sha256_hex(first) + "\",\"seq\":1") != std::string::npos);
}

TEST_CASE("a torn line of the chain does not swallow the next") {
  files::TestFolder folder;
  const sys::StateDirs dirs = dirs_in(folder);
  folder.file("home/evidence/CHAIN.jsonl", "{\"seq\":0,\"ev");
  std::filesystem::permissions(folder.path / "home/evidence", std::filesystem::perms::owner_all);
  REQUIRE(append_to_chain(dirs, {.event = "started",
                                 .id = "a",
                                 .folder = "a",
                                 .plan_sha256 = "p",
                                 .manifest_sha256 = {},
                                 .verdict = {}})
              .has_value());
  const std::string chain = folder.text("home/evidence/CHAIN.jsonl");
  CHECK(chain.starts_with("{\"seq\":0,\"ev\n{"));
  CHECK(chain.find("\"seq\":1") != std::string::npos);
}

TEST_CASE("docs/campaign.md is what --help prints") {
  std::string page =
      "# The command line of the campaign\n\n"
      "This page is what `--help` prints; a test keeps the two equal. What it is all about: "
      "[evidence](evidence.md).\n"
      "Messages go to stderr, data to stdout.\n\n";
  page += "```\n$ campaign --help\n" + overview() + "```\n";
  for (const cli::Command* command : all_commands()) {
    const std::string name(command->name);
    page += "\n## campaign " + name + "\n\n```\n$ campaign " + name + " --help\n" +
            cli::help_text(*command) + "```\n";
  }
  check_golden("docs/campaign.md", page);
}

TEST_CASE("the list as JSON names what each check's arms are") {
  Check check;
  check.id = "net.thing";
  check.area = "restrictions";
  check.group = "Network";
  check.claim = "A claim.";
  check.cut = {"ns.net", "sec.sock"};
  check_golden("campaign/cli/golden/list.json", list_json({check}));
}

}  // namespace
}  // namespace pybox::campaign
