#include "reports/write.hpp"

#include <unistd.h>

#include "base/digest.hpp"
#include "campaign/model/history.hpp"
#include "reports/folder_for_tests.hpp"

namespace pybox::reports {
namespace {

constexpr const char* kMade[] = {
    "report.html",          "junit.xml",       "ctrf.json",
    "summary.md",           "manifest.sha256", "evidence.pub",
    "allowed_signers",      "plan.dsse.json",  "manifest.sha256.sshsig",
    "evidence.intoto.jsonl"};

TEST_CASE("the same folder and key give the same reports, byte for byte") {
  const SampleFolder folder("benign");
  folder.finish(test_key());
  std::map<std::string, std::string> first;
  for (const char* name : kMade) first[name] = folder.read(name);
  folder.finish(test_key());
  for (const char* name : kMade) {
    INFO(name);
    CHECK(folder.read(name) == first[name]);
    CHECK_FALSE(first[name].empty());
  }
}

TEST_CASE("the manifest names every file but those that sign it") {
  const SampleFolder folder("sample");
  folder.finish(test_key());
  const std::string manifest = folder.read("manifest.sha256");
  CHECK(manifest.find(sha256_hex(folder.read("campaign.json")) + "  campaign.json\n") !=
        std::string::npos);
  for (const char* name : {"events.jsonl", "junit.xml", "plan.dsse.json", "  raw/"}) {
    CHECK(manifest.find(name) != std::string::npos);
  }
  CHECK(manifest.find("intoto") == std::string::npos);
  CHECK(manifest.find("sshsig") == std::string::npos);
}

TEST_CASE("evidence of one key is not signed by another, and stays as it was") {
  const SampleFolder folder("benign");
  folder.finish(test_key());
  const std::string manifest = folder.read("manifest.sha256");
  const auto written = write_reports(folder.path(), SigningKey::generate());
  REQUIRE_FALSE(written.has_value());
  CHECK(written.error().kind() == ErrorKind::Refused);
  CHECK(written.error().message().find("signed by another key") != std::string::npos);
  CHECK(folder.read("manifest.sha256") == manifest);
  CHECK(folder.read("evidence.pub") == to_pem(test_key().public_key()));
}

TEST_CASE("a folder with something foreign in it is not signed") {
  const SampleFolder folder("benign");
  folder.finish(test_key());
  const auto message = [&] {
    const auto written = write_reports(folder.path(), test_key());
    return written ? std::string() : written.error().message();
  };
  folder.put("notes.txt", "x");
  CHECK(message().find("notes.txt does not belong") != std::string::npos);
  std::filesystem::remove(folder.path() / "notes.txt");
  std::filesystem::create_symlink("/etc/passwd", folder.path() / "history.json");
  CHECK_FALSE(message().empty());
  std::filesystem::remove(folder.path() / "history.json");
  const std::string blob = "raw/ab/" + std::string(62, 'c');
  std::filesystem::create_directories(folder.path() / "raw/ab");
  folder.put(blob, "not this");
  CHECK(message().find("does not have the SHA-256") != std::string::npos);
}

TEST_CASE("an earlier campaign is taken along, and its own history with it") {
  const SampleFolder before("before");
  before.finish(test_key());
  const SampleFolder middle("before");
  const auto link = campaign::take_over_previous(middle.path(), before.path());
  REQUIRE(link.has_value());
  CHECK(link->manifest_sha256 == sha256_hex(before.read("manifest.sha256")));
  CHECK(middle.read("previous.json") == before.read("campaign.json"));
  // `middle` stands in for a campaign of its own that has a history already.
  middle.put("manifest.sha256", "x");
  const SampleFolder last("benign");
  REQUIRE(campaign::take_over_previous(last.path(), middle.path()).has_value());
  const auto runs = campaign::history_from_json(last.read("history.json"));
  REQUIRE(runs.has_value());
  REQUIRE(runs->size() == 2);
  CHECK(runs->back().checks.at("time.set@vm") == campaign::Verdict::Held);
  last.finish(test_key());
  CHECK(last.read("summary.md").find("`time.set@vm` | held → broken") != std::string::npos);
}

TEST_CASE("another campaign's previous.json is refused") {
  const SampleFolder folder("before");
  folder.put("previous.json", folder.read("campaign.json"));
  const auto written = write_reports(folder.path(), test_key());
  REQUIRE_FALSE(written.has_value());
  CHECK(written.error().message().find("previous.json") != std::string::npos);
}

}  // namespace
}  // namespace pybox::reports
