#include "reports/verify/verify.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "reports/verify/parts.hpp"
#include "sys/listing.hpp"

namespace pybox::reports {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStatementType = "application/vnd.in-toto+json";
constexpr std::string_view kPlanType = "application/vnd.pybox.campaign-plan+json";
constexpr std::string_view kBenchPlanType = "application/vnd.pybox.bench-plan+json";

/// Looks at one thing after the other and writes down what held.
class Verifier {
 public:
  Verifier(fs::path dir, const PublicKey& key) : dir_(std::move(dir)), key_(key) {}

  Result<VerifiedEvidence> run() {
    PYBOX_TRY(check_signatures());
    PYBOX_TRY(check_files());
    PYBOX_TRY(check_plan_is_signed());
    if (is_bench()) {
      PYBOX_TRY(check_bench_records());
    } else {
      PYBOX_TRY(check_records());
      PYBOX_TRY(check_previous());
    }
    found_.key_id = key_id(key_);
    found_.is_bench = is_bench();
    return std::move(found_);
  }

 private:
  bool is_bench() const { return whose_ == verify::FolderOf::Bench; }

  void held(std::string name, std::string words) {
    found_.steps.push_back({std::move(name), std::move(words)});
  }

  Result<std::string> read(const char* name) { return verify::read_plain(dir_ / name); }

  Result<verify::Envelope> open_plan() {
    const std::string text = PYBOX_TRY(read("plan.dsse.json"));
    if (!text.ends_with('\n')) return verify::wrong("plan.dsse.json: its line has no end");
    return verify::open_envelope(std::string_view(text).substr(0, text.size() - 1),
                                 "plan.dsse.json", key_);
  }

  Result<std::vector<verify::Envelope>> open_statements(std::size_t count) {
    const std::string text = PYBOX_TRY(read("evidence.intoto.jsonl"));
    if (static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) != count ||
        !text.ends_with('\n'))
      return verify::wrong("evidence.intoto.jsonl must have exactly " +
                           std::string(count == 1 ? "one line" : "two lines"));
    std::vector<verify::Envelope> envelopes;
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::string place = fmt::format("evidence.intoto.jsonl line {}", envelopes.size() + 1);
      envelopes.push_back(PYBOX_TRY(verify::open_envelope(take_line(rest), place, key_)));
    }
    return envelopes;
  }

  /// The type that the plan was signed as says whose evidence it is, and so what must be there.
  Result<void> check_signatures() {
    const auto plan = PYBOX_TRY(open_plan());
    whose_ = plan.type == kBenchPlanType ? verify::FolderOf::Bench : verify::FolderOf::Campaign;
    const auto statements = PYBOX_TRY(open_statements(is_bench() ? 1 : 2));
    manifest_text_ = PYBOX_TRY(read("manifest.sha256"));
    const std::string ssh = PYBOX_TRY(read("manifest.sha256.sshsig"));
    held("signatures",
         fmt::format("{} envelopes, by {}", is_bench() ? "two" : "three", key_id(key_)));
    for (const verify::Envelope& statement : statements)
      PYBOX_TRY(verify::expect_type(statement, kStatementType));
    PYBOX_TRY(verify::expect_type(plan, is_bench() ? kBenchPlanType : kPlanType));
    held("payload types", "each signed as what it is");
    statements_ = PYBOX_TRY(verify::read_statements(statements, whose_));
    signed_plan_ = plan.payload;
    if (statements_.manifest_sha256 != sha256_hex(manifest_text_)) {
      return verify::wrong("manifest.sha256 is not the one that the signed statements name")
          .hint("it was changed, or the statements come from another folder");
    }
    PYBOX_TRY(verify::check_ssh_signature(ssh, manifest_text_, key_));
    held("statements", is_bench() ? "names this manifest; so does the SSH signature"
                                  : "both name this manifest; so does the SSH signature");
    return {};
  }

  Result<void> check_files() {
    manifest_ = PYBOX_TRY(verify::read_manifest(manifest_text_, whose_));
    held("manifest", fmt::format("{} files, in order", manifest_.size()));
    PYBOX_TRY(verify::check_files(dir_, manifest_));
    const std::string pem = PYBOX_TRY(read("evidence.pub"));
    if (pem != to_pem(key_)) return verify::wrong("evidence.pub is not the key that signed");
    held("files", "each has its SHA-256, none is missing, none is too many");
    return {};
  }

  Result<void> check_plan_is_signed() {
    plan_ = PYBOX_TRY(read("plan.json"));
    events_ = PYBOX_TRY(read("events.jsonl"));
    if (plan_ == signed_plan_) return {};
    return verify::wrong("plan.json is not what was signed in plan.dsse.json");
  }

  /// Whether the statements are about these records.
  bool agree(const std::string& about) const {
    return statements_.about == about && statements_.plan_sha256 == sha256_hex(plan_) &&
           statements_.events_sha256 == sha256_hex(events_);
  }

  Result<void> check_bench_records() {
    const std::string bench = PYBOX_TRY(read("bench.json"));
    const verify::BenchFacts facts = PYBOX_TRY(verify::check_bench(plan_, events_, bench));
    if (!agree(facts.bench))
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

  Result<void> check_records() {
    const auto events = PYBOX_TRY(verify::read_events(events_));
    if (events.plan_sha256 != sha256_hex(plan_)) {
      return verify::wrong("events.jsonl began with another plan than plan.json");
    }
    held("events",
         fmt::format("{} lines, one chain, {} attempts ended", events.lines, events.ended.size()));
    const std::string campaign = PYBOX_TRY(read("campaign.json"));
    summary_ = PYBOX_TRY(verify::check_campaign(campaign, events));
    PYBOX_TRY(check_agreement(events));
    held("campaign",
         fmt::format(
             "{} checks, {} arms, {} attempts: all in the events, every count and verdict follows",
             summary_.checks, summary_.arms, summary_.attempts));
    const auto facts = PYBOX_TRY(verify::check_plan(plan_, summary_));
    held("plan", fmt::format("{} checks, run as planned", facts.checks));
    PYBOX_TRY(check_blobs(events, facts));
    note_events(events);
    found_.campaign = summary_.campaign;
    found_.verdict = summary_.verdict;
    found_.complete = summary_.complete;
    return {};
  }

  Result<void> check_agreement(const verify::Events& events) {
    const std::pair<bool, std::string_view> rules[] = {
        {summary_.events_sha256 == sha256_hex(events_),
         "campaign.json was judged from another events.jsonl"},
        {summary_.plan_sha256 == sha256_hex(plan_),
         "campaign.json was judged by another plan.json"},
        {summary_.campaign == events.campaign, "campaign.json has another id than events.jsonl"},
        {summary_.previous_id == events.previous_id &&
             summary_.previous_manifest == events.previous_manifest,
         "campaign.json names another campaign before it than events.jsonl"},
        {!summary_.complete || (events.closed && events.complete),
         "campaign.json says complete, events.jsonl does not"},
        {agree(summary_.campaign) && statements_.verdict == summary_.verdict,
         "the signed statement is about another campaign or verdict than campaign.json"}};
    for (const auto& [ok, what] : rules) {
      if (!ok) return verify::wrong(std::string(what));
    }
    return {};
  }

  Result<void> check_blobs(const verify::Events& events, const verify::PlanFacts& facts) {
    for (const auto* named : {&events.blobs, &facts.blobs}) {
      for (const std::string& digest : *named) {
        const bool whole = digest.size() == 64;
        const std::string name =
            whole ? "raw/" + digest.substr(0, 2) + "/" + digest.substr(2) : digest;
        if (!whole || !manifest_.contains(name)) {
          return verify::wrong("a record names a file that is not in raw/: " + visible(digest));
        }
      }
    }
    std::size_t unnamed = 0;
    for (const auto& [name, digest] : manifest_) {
      if (name.starts_with("raw/") && !events.blobs.contains(digest) &&
          !facts.blobs.contains(digest)) {
        ++unnamed;
      }
    }
    if (unnamed > 0)
      found_.notes.push_back(fmt::format("{} files in raw/ are named by no record", unnamed));
    return {};
  }

  void note_events(const verify::Events& events) {
    if (events.resumed > 0) {
      found_.notes.push_back(
          fmt::format("the campaign was interrupted and resumed {} times", events.resumed));
    }
    if (events.cut_off > 0) {
      found_.notes.push_back(
          fmt::format("{} arms were cut off by an interruption and run again", events.cut_off));
    }
    if (events.unfinished > 0) {
      found_.notes.push_back(
          fmt::format("{} arms were started and never ended", events.unfinished));
    }
    if (!summary_.complete) found_.notes.push_back("the campaign is not complete");
  }

  /// The campaign before, where it can be seen: the copy in this folder, and a folder beside this
  /// one.
  Result<void> check_previous() {
    if (summary_.previous_id.empty()) {
      held("previous", "the first of its chain");
      return {};
    }
    const std::string id = visible(summary_.previous_id);
    const auto manifest = manifest_beside(summary_.previous_id);
    if (!manifest) {
      found_.notes.push_back("the campaign before, " + id +
                             ", is not beside this folder: its link was not followed");
      held("previous", "names " + id);
      return {};
    }
    if (sha256_hex(*manifest) != summary_.previous_manifest) {
      return verify::wrong("the folder of the campaign before, " + id +
                           ", has another manifest than this one links to");
    }
    if (manifest_.contains("previous.json") &&
        manifest->find(manifest_.at("previous.json") + "  campaign.json\n") == std::string::npos)
      return verify::wrong("previous.json is not the campaign.json of " + id);
    held("previous", "links to " + id + ", which is beside it with that manifest");
    return {};
  }

  /// manifest.sha256 of a campaign whose folder stands beside this one: named by its id, or by its
  /// time and the first 8 digits of its id.
  std::optional<std::string> manifest_beside(const std::string& id) const {
    std::error_code trouble;
    const fs::path self = fs::absolute(dir_, trouble).lexically_normal();
    const fs::path parent =
        self.has_filename() ? self.parent_path() : self.parent_path().parent_path();
    if (id.size() < 8) return std::nullopt;
    const std::string tail = "-" + id.substr(0, 8);
    for (const fs::path& entry : sys::entries_of(parent, trouble)) {
      const std::string name = entry.filename().string();
      if (name != id && !name.ends_with(tail)) continue;
      auto manifest = verify::read_plain(entry / "manifest.sha256");
      if (manifest) return *std::move(manifest);
    }
    return std::nullopt;
  }

  fs::path dir_;
  PublicKey key_;
  VerifiedEvidence found_;
  verify::FolderOf whose_ = verify::FolderOf::Campaign;
  std::string manifest_text_, signed_plan_, plan_, events_;
  verify::Statements statements_;
  verify::Manifest manifest_;
  verify::Summary summary_;
};

}  // namespace

Result<VerifiedEvidence> verify_evidence(const fs::path& dir, const PublicKey& key) {
  auto verified = Verifier(dir, key).run();
  if (!verified && verified.error().kind() == ErrorKind::Protocol) {
    return std::move(verified).error().as(ErrorKind::Evidence);
  }
  return verified;
}

}  // namespace pybox::reports
