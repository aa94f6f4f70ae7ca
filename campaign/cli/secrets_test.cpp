#include <set>

#include "campaign/cli/finish.hpp"
#include "campaign/run/campaign_for_tests.hpp"
#include "reports/write.hpp"

namespace pybox::campaign {
namespace {

namespace fs = std::filesystem;

/// A driver that tells all it was told, and a check for it.
constexpr std::string_view kTalkative = R"(
import json, sys
ask = json.load(sys.stdin)
words = "on build-7.example in /home/alice/pybox/runtime by alice"
print(words, file=sys.stderr)
print("not JSON:", words)
end = "EPERM" if ask["arm"] == "protected" else "reached"
print(json.dumps({"nonce": ask["nonce"], "signature": end, "proof": "", "detail": words}))
)";

Check driver_check() {
  Check check = sample_check();
  check.id = "life.driver";
  check.probe.clear();
  check.driver = "talks.py";
  return check;
}

/// Every file below the folder that holds the text; raw blobs as "raw".
std::set<std::string> files_with(const fs::path& folder, std::string_view text) {
  std::set<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    if (sys::read_file(entry.path(), 64_MiB).value().find(text) == std::string::npos) continue;
    found.insert(entry.path().lexically_relative(folder).begin()->string());
  }
  return found;
}

}  // namespace

TEST_CASE(
    "a secret from a box or a driver is in no file of the evidence, and in each kind without the "
    "redactor") {
  for (const bool redacted : {true, false}) {
    Campaign campaign({driver_check(), sample_check()});
    campaign.sources.drivers["talks.py"] = kTalkative;
    campaign.script.secret = " build-7.example, alice, /home/alice/pybox ";
    if (redacted)
      campaign.redactor = Redactor(
          Secrets{{"build-7.example", "host"}, {"alice", "user"}, {"/home/alice/pybox", "source"}});
    const SigningKey key = SigningKey::generate();
    const fs::path folder = campaign.folder.path;
    REQUIRE(reports::sign_plan(folder, key).has_value());
    REQUIRE(campaign.run().has_value());
    const auto written = write_evidence(folder, key);
    INFO((written ? "" : written.error().message()));
    REQUIRE(written.has_value());
    CHECK(written->verdict == "held");
    for (const char* secret : {"build-7.example", "alice", "/home/alice"}) {
      INFO(secret);
      const std::set<std::string> with_it = files_with(folder, secret);
      const std::set<std::string> expected =
          redacted ? std::set<std::string>{}
                   : std::set<std::string>{"campaign.json", "events.jsonl", "junit.xml", "raw",
                                           "report.html"};
      CHECK(with_it == expected);
    }
    if (!redacted) continue;
    // What stands for it is there, so what was looked at is what the driver said.
    CHECK(files_with(folder, "<source>/runtime by <user>") ==
          std::set<std::string>{"campaign.json", "raw"});
    CHECK(files_with(folder, "&lt;source&gt;/runtime by &lt;user&gt;") ==
          std::set<std::string>{"junit.xml", "report.html"});
  }
}

}  // namespace pybox::campaign
