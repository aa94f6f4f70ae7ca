/// What `campaign verify` says of changed evidence: changed by anybody, and changed by who holds
/// the key and signed it again.

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "campaign/bench/figures.hpp"
#include "campaign/bench/folder_for_tests.hpp"
#include "campaign/cli/finish.hpp"
#include "files/folder_for_tests.hpp"
#include "receipt/signature.hpp"
#include "reports/verify/verify.hpp"
#include "reports/write.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

namespace fs = std::filesystem;

SigningKey test_key() {
  KeySeed seed{};
  seed[0] = 1;
  return SigningKey(seed);
}

class BenchFolder {
 public:
  explicit BenchFolder(const Sample& sample) {
    put("plan.json", sample.plan);
    put("events.jsonl", sample.events);
    REQUIRE(reports::sign_plan(path(), test_key(), reports::FolderOf::Bench).has_value());
    const auto written = write_bench_evidence(path(), test_key());
    INFO((written ? "" : written.error().message()));
    REQUIRE(written.has_value());
  }
  fs::path path() const { return folder_.path; }
  std::string read(const char* name) const { return sys::read_file(path() / name).value(); }
  void put(const char* name, std::string_view text) const {
    REQUIRE(sys::replace_file(path() / name, text).has_value());
  }
  /// What verifying says; empty when the folder holds.
  std::string refusal() const {
    const auto verified = reports::verify_evidence(path(), test_key().public_key());
    return verified ? "" : verified.error().message();
  }

 private:
  files::TestFolder folder_;
};

bool says(const std::string& message, std::string_view words) {
  INFO(message);
  const bool found = message.find(words) != std::string::npos;
  CHECK(found);
  return found;
}

TEST_CASE("the evidence of a bench verifies, and says what it is of") {
  const BenchFolder folder(sample_records());
  const auto verified = reports::verify_evidence(folder.path(), test_key().public_key());
  REQUIRE(verified.has_value());
  CHECK(verified->is_bench);
  CHECK(verified->complete);
  const std::string text = reports::verified_text(*verified, reports::KeyFrom::Given);
  CHECK(text.find("1 cases: every figure follows from the 10 pairs") != std::string::npos);
  CHECK(text.find("2 pairs of warm-up are not counted") != std::string::npos);
  CHECK(text.find("verdict") == std::string::npos);
}

TEST_CASE("each file changed, gone or too many is noticed") {
  for (const char* name : {"bench.json", "events.jsonl", "plan.json", "plan.dsse.json",
                           "summary.md", "report.html", "allowed_signers", "manifest.sha256",
                           "evidence.intoto.jsonl", "manifest.sha256.sshsig", "evidence.pub"}) {
    INFO(name);
    const BenchFolder changed(sample_records());
    std::string text = changed.read(name);
    text[text.size() / 2] = text[text.size() / 2] == '0' ? '1' : '0';
    changed.put(name, text);
    CHECK_FALSE(changed.refusal().empty());
    const BenchFolder lacking(sample_records());
    fs::remove(lacking.path() / name);
    CHECK_FALSE(lacking.refusal().empty());
  }
  const BenchFolder more(sample_records());
  more.put("campaign.json", "{}");
  says(more.refusal(), "campaign.json is in the folder, but not in the manifest");
  const BenchFolder other(sample_records());
  KeySeed seed{};
  seed[0] = 2;
  const auto verified = reports::verify_evidence(other.path(), SigningKey(seed).public_key());
  REQUIRE_FALSE(verified.has_value());
  says(verified.error().message(), "signed by another key");
}

/// bench.json changed and everything signed again by the same key.
std::string with_bench(std::string_view from, std::string_view to) {
  const BenchFolder folder(sample_records());
  folder.put("bench.json", replaced(folder.read("bench.json"), from, to));
  const Bench bench = figures_of(folder.read("plan.json"), folder.read("events.jsonl")).value();
  REQUIRE(reports::write_bench_reports(folder.path(), bench, test_key()).has_value());
  return folder.refusal();
}

TEST_CASE("a figure that does not follow from the samples is caught though it is signed") {
  says(with_bench("\"p50_ns\":15000000", "\"p50_ns\":14000000"),
       "bench.json: `bench.cases[0].sealed.p50_ns` is 14000000, but the records give 15000000");
  says(with_bench("\"p95_ns\":null", "\"p95_ns\":11000000"), "p95_ns` is 11000000");
  says(with_bench("\"low\":2000000", "\"low\":1000000"), "added_ns.low` is 1000000");
  says(with_bench("\"p50\":1500", "\"p50\":1100"), "ratio_thousandths.p50` is 1100");
  says(with_bench("\"pairs\":10", "\"pairs\":1000"), "pairs` is 1000, but the records give 10");
  says(with_bench("\"cgroup\":\"v2\"", "\"cgroup\":\"v1\""), "cgroup` is \"v1\"");
  says(with_bench("\"load_before\":\"0.10", "\"load_before\":\"0.00"), "load_before");
  says(with_bench("\"cpu.model\":\"a ", "\"cpu.model\":\"a better "), "environment.cpu.model");
}

/// Events changed, the chain made to fit, bench.json computed from them and all of it signed.
std::string with_events(const std::function<void(std::vector<BenchEvent>&)>& change) {
  return BenchFolder(sample_records(change)).refusal();
}

TEST_CASE("samples that were left out, moved or impossible are caught though they are signed") {
  says(with_events([](auto& events) { events.erase(events.begin() + 9); }),
       "is not the next pair of its case");
  says(with_events([](auto& events) {
         events.erase(events.end() - 3);  // the last pair: what is left counts up
       }),
       "pairs that were planned are missing");
  says(with_events([](auto& events) { events[3].pair.warm_up = false; }),
       "the warm-up or does not");
  says(with_events([](auto& events) {
         events[5].pair.first = events[5].pair.first == First::Bare ? First::Sealed : First::Bare;
       }),
       "in another order than the plan's seed gives");
  CHECK(with_events([](auto& events) {
          events.erase(events.end() - 3);
          events.back().complete = false;
        }).empty());
}

TEST_CASE("runs that took longer than there was time between two lines are caught") {
  Sample sample = sample_records();
  // In the lines alone: the times of lines stay as they were.
  std::string text, before = no_line_before();
  std::string_view rest = sample.events;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    std::string line(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    const std::size_t prev = line.find("\"prev\":\"");
    line.replace(prev + 8, 64, before);
    if (line.find("\"number\":12,") != std::string::npos)
      line = replaced(line, "\"sealed_ns\":20000000", "\"sealed_ns\":90000000");
    before = sha256_hex(line);
    text += line + "\n";
  }
  sample.events = text;
  says(BenchFolder(sample).refusal(), "longer than there was time");
}

TEST_CASE("evidence that reads the same and is other bytes is refused though it is signed") {
  says(with_bench("{\"cases\":", "{ \"cases\":"), "is not in its one form");
}

TEST_CASE("a bench that another key signed is not signed anew") {
  const BenchFolder folder(sample_records());
  KeySeed seed{};
  seed[0] = 2;
  const auto written = write_bench_evidence(folder.path(), SigningKey(seed));
  REQUIRE_FALSE(written.has_value());
  CHECK(written.error().kind() == ErrorKind::Refused);
  CHECK(folder.refusal().empty());
}

}  // namespace
}  // namespace pybox::campaign
