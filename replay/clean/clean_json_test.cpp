#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "receipt/canonical_json.hpp"
#include "replay/clean/clean.hpp"

namespace pybox::replay {
namespace {

using nlohmann::json;

const std::string kNonce(32, 'a');

/// Evidence with something planted in every place that a machine could be told by.
class Planted {
 public:
  Planted() {
    evidence.plan = "{}\n";
    add({{"event", "campaign-started"},
         {"id", "20261130T010203Z-0a1b2c3d"},
         {"environment", {{"kernel.release", "6.12.63-fastcloud"}, {"hostname", "buildhost"}}}});
    add({{"event", "arm-started"}, {"check", "net.loopback"}, {"nonce", kNonce}});
    const std::string line =
        json{{"nonce", kNonce},
             {"signature", "EPERM"},
             {"proof", "/srv/alice/key"},
             {"detail", {{"api_token", "s3cr3t"}, {"sha256", std::string(64, 'b')}}}}
            .dump();
    add({{"event", "arm-ended"},
         {"out", blob("a line of alice's\n" + line + "\nAWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI\n")},
         {"err", blob("mail root@buildhost.example.org from 10.0.0.7\xff\n")},
         {"report", blob(report())},
         {"witnesses", {"tcp 1", "/run/user/1000/x"}},
         {"cwd", "/srv/alice"},
         {"trouble", "no such file: /srv/alice/boxd"}});
    add({{"event", "shell-history"}, {"text", "alice"}});
    add({{"event", "campaign-ended"}, {"complete", true}});
  }

  Evidence evidence;

 private:
  std::string blob(const std::string& bytes) {
    const std::string name = sha256_hex(bytes);
    evidence.blobs[name] = bytes;
    return name;
  }
  static std::string report() {
    const std::string said = "key 0123456789abcdef0123456789abcdef in /srv/alice\n";
    const json stream = {{"text", said},
                         {"base64", nullptr},
                         {"encoding", "utf-8"},
                         {"bytes_kept", said.size()},
                         {"bytes_total", said.size()},
                         {"sha256", sha256_hex(said)}};
    const json binary = {{"text", nullptr},      {"base64", base64_encode("\xff alice")},
                         {"encoding", "base64"}, {"bytes_kept", 7},
                         {"bytes_total", 9},     {"sha256", sha256_hex("whole")}};
    return json{{"capture", {{"stdout", stream}, {"stderr", binary}}},
                {"uptime", "since alice came"}}
        .dump();
  }
  void add(json line) {
    line["seq"] = number_++;
    line["prev"] = previous_;
    const std::string text = canonical_json(line).value();
    previous_ = sha256_hex(text);
    evidence.events += text + "\n";
  }
  std::uint64_t number_ = 0;
  std::string previous_ = std::string(64, '0');
};

std::string everything(const Evidence& evidence) {
  std::string all = evidence.plan + evidence.events;
  for (const auto& [name, bytes] : evidence.blobs) all += bytes;
  return all;
}

const char* const kSecrets[] = {
    "alice",    "buildhost", "s3cr3t",    "wJalrXUtnFEMI",
    "10.0.0.7", "/srv/",     "/run/user", "0123456789abcdef0123456789abcdef",
    "fastcloud"};

}  // namespace

TEST_CASE("nothing that was planted is left, and all of it is there without cleaning") {
  const Planted planted;
  const Cleaned off = clean(planted.evidence, {"buildhost", "alice"}, Rules::Off).value();
  const Cleaned on = clean(planted.evidence, {"buildhost", "alice"}).value();
  for (const char* const secret : kSecrets) {
    INFO(secret);
    CHECK(everything(off.evidence).find(secret) != std::string::npos);
    CHECK(everything(on.evidence).find(secret) == std::string::npos);
  }
  for (const char* const rule :
       {"name", "path", "token", "setting", "address", "bytes", "kernel", "key", "fact", "event"})
    CHECK(on.counts.contains(rule));
}

TEST_CASE("what was cleaned is chained, named and counted anew, and keeps what it said") {
  const Cleaned made = clean(Planted().evidence, {"buildhost", "alice"}).value();
  std::string previous(64, '0');
  std::string_view rest = made.evidence.events;
  std::uint64_t number = 0;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    const json event = json::parse(line);
    CHECK(event["prev"] == previous);
    CHECK(event["seq"] == number++);
    previous = sha256_hex(line);
  }
  CHECK(number == 4);
  bool found_line = false;
  for (const auto& [name, bytes] : made.evidence.blobs) {
    CHECK(name == sha256_hex(bytes));
    if (bytes.find("\"signature\":\"EPERM\"") != std::string::npos)
      found_line = bytes.find(kNonce) != std::string::npos &&
                   bytes.find(std::string(64, 'b')) != std::string::npos;
    if (bytes.find("capture") == std::string::npos) continue;
    const json report = json::parse(bytes);
    const json& out = report["capture"]["stdout"];
    CHECK(out["sha256"] == sha256_hex(out["text"].get<std::string>()));
    CHECK(out["bytes_kept"] == out["text"].get<std::string>().size());
    CHECK(report["capture"]["stderr"]["bytes_total"] ==
          report["capture"]["stderr"]["bytes_kept"].get<int>() + 2);
  }
  CHECK(found_line);
}

TEST_CASE("cleaning is deterministic, and cleaning what is clean changes nothing") {
  const Cleaned one = clean(Planted().evidence, {"buildhost", "alice"}).value();
  const Cleaned two = clean(Planted().evidence, {"buildhost", "alice"}).value();
  CHECK(everything(one.evidence) == everything(two.evidence));
  const Cleaned again = clean(one.evidence, {"buildhost", "alice"}).value();
  CHECK(again.evidence.events == one.evidence.events);
  CHECK(again.evidence.blobs == one.evidence.blobs);
  CHECK(again.counts.empty());
}

TEST_CASE("what is not an event, or misses a blob, is not evidence") {
  Evidence evidence = Planted().evidence;
  evidence.blobs.clear();
  CHECK(clean(evidence, {}).error().message().find("is missing") != std::string::npos);
  evidence.events = "7\n";
  CHECK(clean(evidence, {}).error().message() == "line 1 of events.jsonl is not an event");
  evidence.events.clear();
  CHECK(clean(evidence, {}).error().kind() == ErrorKind::Evidence);
}

}  // namespace pybox::replay
