#include <fmt/core.h>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "reports/verify/parts.hpp"
#include "reports/verify/verify.hpp"

namespace pybox::reports {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStatement = "application/vnd.in-toto+json";
constexpr std::string_view kPlan = "application/vnd.pybox.bench-plan+json";

/// As the verifier of a campaign: one thing after the other, and what held is written down.
class BenchVerifier {
 public:
  BenchVerifier(const fs::path& dir, const PublicKey& key) : dir_(dir), key_(key) {}

  Result<VerifiedEvidence> run() {
    PYBOX_TRY(check_signatures());
    PYBOX_TRY(check_files());
    PYBOX_TRY(check_records());
    found_.key_id = key_id(key_);
    found_.is_bench = true;
    return std::move(found_);
  }

 private:
  void held(std::string name, std::string words) {
    found_.steps.push_back({std::move(name), std::move(words)});
  }
  Result<std::string> read(const char* name) { return verify::read_plain(dir_ / name); }

  Result<void> check_signatures() {
    std::string text = PYBOX_TRY(read("evidence.intoto.jsonl"));
    if (text.empty() || text.find('\n') != text.size() - 1)
      return verify::wrong("evidence.intoto.jsonl must have exactly one line");
    text.pop_back();
    manifest_text_ = PYBOX_TRY(read("manifest.sha256"));
    const std::string ssh = PYBOX_TRY(read("manifest.sha256.sshsig"));
    const std::string plan = PYBOX_TRY(read("plan.dsse.json"));
    const auto statement = PYBOX_TRY(verify::open_envelope(text, "evidence.intoto.jsonl", key_));
    const auto signed_plan = PYBOX_TRY(verify::open_envelope(plan, "plan.dsse.json", key_));
    held("signatures", "two envelopes, by " + key_id(key_));
    PYBOX_TRY(verify::expect_type(statement, kStatement));
    PYBOX_TRY(verify::expect_type(signed_plan, kPlan));
    held("payload types", "each signed as what it is");
    signed_plan_ = signed_plan.payload;
    statement_ = PYBOX_TRY(verify::read_speed_statement(statement));
    if (statement_.manifest_sha256 != sha256_hex(manifest_text_))
      return verify::wrong("manifest.sha256 is not the one that the signed statement names")
          .hint("it was changed, or the statement comes from another folder");
    PYBOX_TRY(verify::check_ssh_signature(ssh, manifest_text_, key_));
    held("statement", "names this manifest; so does the SSH signature");
    return {};
  }

  Result<void> check_files() {
    const auto manifest = PYBOX_TRY(verify::read_manifest(manifest_text_, verify::FolderOf::Bench));
    held("manifest", fmt::format("{} files, in order", manifest.size()));
    PYBOX_TRY(verify::check_files(dir_, manifest));
    const std::string pem = PYBOX_TRY(read("evidence.pub"));
    if (pem != to_pem(key_)) return verify::wrong("evidence.pub is not the key that signed");
    held("files", "each has its SHA-256, none is missing, none is too many");
    return {};
  }

  Result<void> check_records() {
    const std::string plan = PYBOX_TRY(read("plan.json"));
    if (plan != signed_plan_)
      return verify::wrong("plan.json is not what was signed in plan.dsse.json");
    const std::string events = PYBOX_TRY(read("events.jsonl"));
    const std::string bench = PYBOX_TRY(read("bench.json"));
    const verify::BenchFacts facts = PYBOX_TRY(verify::check_bench(plan, events, bench));
    if (statement_.bench != facts.bench || statement_.plan_sha256 != sha256_hex(plan) ||
        statement_.events_sha256 != sha256_hex(events))
      return verify::wrong("the signed statement is about another bench than bench.json");
    held("events", fmt::format("{} lines, one chain, pairs in the planned order", facts.lines));
    held("figures",
         fmt::format("{} cases: every figure follows from the {} pairs", facts.cases, facts.pairs));
    found_.campaign = facts.bench;
    found_.complete = facts.complete;
    if (facts.warm_up > 0)
      found_.notes.push_back(fmt::format("{} pairs of warm-up are not counted", facts.warm_up));
    if (!facts.complete) found_.notes.push_back("the bench is not complete");
    if (!facts.failure.empty()) found_.notes.push_back("a run failed: " + visible(facts.failure));
    return {};
  }

  fs::path dir_;
  PublicKey key_;
  VerifiedEvidence found_;
  std::string manifest_text_, signed_plan_;
  verify::SpeedStatement statement_;
};

}  // namespace

Result<VerifiedEvidence> verify_bench(const fs::path& dir, const PublicKey& key) {
  auto verified = BenchVerifier(dir, key).run();
  if (!verified && verified.error().kind() == ErrorKind::Protocol)
    return std::move(verified).error().as(ErrorKind::Evidence);
  return verified;
}

}  // namespace pybox::reports
