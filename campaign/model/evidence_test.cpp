#include "campaign/model/evidence.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "campaign/model/history.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

std::string sample() { return sys::read_file(REPORTS_SAMPLES "/sample/campaign.json").value(); }

/// The sample with the first `from` replaced; what reading it says.
std::string refusal_of(const std::string& from, const std::string& to) {
  std::string text = sample();
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  const auto campaign = evidence_from_json(text);
  REQUIRE_FALSE(campaign.has_value());
  CHECK(campaign.error().kind() == ErrorKind::Evidence);
  return campaign.error().message();
}

TEST_CASE("a campaign is read with every check, arm and attempt") {
  const auto campaign = evidence_from_json(sample());
  REQUIRE(campaign.has_value());
  CHECK(campaign->verdict == "broken");
  CHECK(campaign->count(Verdict::Broken) == 1);
  CHECK(campaign->environment.at("cpu.model") == "x86-64, 2 cores");
  CHECK(campaign->environment.at("lsm") == "capability, landlock");
  const CheckResult& first = campaign->checks.front();
  CHECK(full_id(first) == "fs.read.outside@vm");
  REQUIRE(first.arm("control") != nullptr);
  CHECK(first.arm("control")->removed == std::vector<std::string>{"fs.pivot"});
  CHECK(first.arm("control")->attempts.front().seal->differs == first.arm("control")->removed);
  CHECK(first.arm("benign") == nullptr);
  for (const CheckResult& check : campaign->checks) {
    if (check.id == "mem.heap") CHECK(check.arms[0].attempts[0].series.size() > 20);
    if (check.id == "time.set") CHECK(check.arms[0].attempts.size() == 4);
  }
}

TEST_CASE("a campaign that is not as it must be is refused, with the place") {
  CHECK(refusal_of("\"complete\":true", "\"complete\":true,\"complete\":true") ==
        "the key `complete` appears twice");
  CHECK(refusal_of("\"complete\":true", "\"complete\":1") == "`complete` must be true or false");
  CHECK(refusal_of("\"complete\":true", "\"complete\":true,\"more\":1") == "unknown key `more`");
  CHECK(refusal_of("\"held\":38", "\"held\":39") == "`counts.held` is 39, but the checks give 38");
  CHECK(refusal_of("\"verdict\":\"held\"", "\"verdict\":\"fine\"").find("not a verdict") !=
        std::string::npos);
  CHECK(refusal_of("\"events_sha256\":\"", "\"events_sha256\":\"x") ==
        "`events_sha256` must be a SHA-256 in hex digits");
  CHECK(refusal_of("\"schema_version\":1", "\"schema_version\":2") == "`schema_version` must be 1");
  CHECK(refusal_of("\"arm\":\"control\"", "\"arm\":\"protected\"").find("twice") !=
        std::string::npos);
  CHECK(refusal_of("\"id\":\"net.loopback\"", "\"id\":\"net.iouring\"") ==
        "the check `net.iouring@vm` appears twice");
  CHECK(
      refusal_of("\"attempt\":1,", "").find("`checks[0].arms[0].attempts[0].attempt` is missing") !=
      std::string::npos);
}

TEST_CASE("a history is read, and one of another shape refused") {
  const std::string digest(64, 'a');
  const auto runs =
      history_from_json(R"({"runs":[{"checks":{"net.tcp@vm":"held"},"ended":"e","id":"i",)"
                        R"("manifest_sha256":")" +
                        digest + R"(","verdict":"held"}],"schema_version":1})");
  REQUIRE(runs.has_value());
  CHECK(runs->front().checks.at("net.tcp@vm") == Verdict::Held);
  CHECK_FALSE(history_from_json(R"({"runs":[{}],"schema_version":1})").has_value());
}

}  // namespace
}  // namespace pybox::campaign
