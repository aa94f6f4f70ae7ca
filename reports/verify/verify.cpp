#include "reports/verify/verify.hpp"

#include <fmt/core.h>

#include <optional>

#include "base/digest.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "reports/verify/parts.hpp"
#include "sys/listing.hpp"

namespace pybox::reports {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStatement = "application/vnd.in-toto+json";
constexpr std::string_view kPlan = "application/vnd.pybox.campaign-plan+json";

/// The lines of evidence.intoto.jsonl: two, each with its end.
Result<std::pair<std::string, std::string>> two_lines(const std::string& text) {
  const std::size_t first = text.find('\n');
  const std::size_t second = first == std::string::npos ? first : text.find('\n', first + 1);
  if (second == std::string::npos || second + 1 != text.size()) {
    return verify::wrong("evidence.intoto.jsonl must have exactly two lines");
  }
  return std::pair(text.substr(0, first), text.substr(first + 1, second - first - 1));
}

/// Looks at one thing after the other and writes down what held.
class Verifier {
 public:
  Verifier(fs::path dir, const PublicKey& key) : dir_(std::move(dir)), key_(key) {}

  Result<VerifiedEvidence> run() {
    PYBOX_TRY(check_signatures());
    PYBOX_TRY(check_files());
    PYBOX_TRY(check_records());
    PYBOX_TRY(check_previous());
    found_.key_id = key_id(key_);
    return std::move(found_);
  }

 private:
  void held(std::string name, std::string words) {
    found_.steps.push_back({std::move(name), std::move(words)});
  }

  Result<std::string> read(const char* name) { return verify::read_plain(dir_ / name); }

  Result<void> check_signatures() {
    const std::string text = PYBOX_TRY(read("evidence.intoto.jsonl"));
    manifest_text_ = PYBOX_TRY(read("manifest.sha256"));
    const std::string ssh = PYBOX_TRY(read("manifest.sha256.sshsig"));
    const std::string plan = PYBOX_TRY(read("plan.dsse.json"));
    const auto lines = PYBOX_TRY(two_lines(text));
    if (!plan.ends_with('\n')) return verify::wrong("plan.dsse.json: its line has no end");
    const std::string_view planned = std::string_view(plan).substr(0, plan.size() - 1);
    const auto first =
        PYBOX_TRY(verify::open_envelope(lines.first, "evidence.intoto.jsonl line 1", key_));
    const auto second =
        PYBOX_TRY(verify::open_envelope(lines.second, "evidence.intoto.jsonl line 2", key_));
    const auto third = PYBOX_TRY(verify::open_envelope(planned, "plan.dsse.json", key_));
    held("signatures", "three envelopes, by " + key_id(key_));
    for (const auto* statement : {&first, &second}) {
      PYBOX_TRY(verify::expect_type(*statement, kStatement));
    }
    PYBOX_TRY(verify::expect_type(third, kPlan));
    held("payload types", "each signed as what it is");
    statements_ = PYBOX_TRY(verify::read_statements(first, second));
    signed_plan_ = third.payload;
    if (statements_.manifest_sha256 != sha256_hex(manifest_text_)) {
      return verify::wrong("manifest.sha256 is not the one that the signed statements name")
          .hint("it was changed, or the statements come from another folder");
    }
    PYBOX_TRY(verify::check_ssh_signature(ssh, manifest_text_, key_));
    held("statements", "both name this manifest; so does the SSH signature");
    return {};
  }

  Result<void> check_files() {
    manifest_ = PYBOX_TRY(verify::read_manifest(manifest_text_));
    held("manifest", fmt::format("{} files, in order", manifest_.size()));
    PYBOX_TRY(verify::check_files(dir_, manifest_));
    const std::string pem = PYBOX_TRY(read("evidence.pub"));
    if (pem != to_pem(key_)) return verify::wrong("evidence.pub is not the key that signed");
    held("files", "each has its SHA-256, none is missing, none is too many");
    return {};
  }

  Result<void> check_records() {
    const std::string plan = PYBOX_TRY(read("plan.json"));
    if (plan != signed_plan_)
      return verify::wrong("plan.json is not what was signed in plan.dsse.json");
    const std::string lines = PYBOX_TRY(read("events.jsonl"));
    const auto events = PYBOX_TRY(verify::read_events(lines));
    if (events.plan_sha256 != sha256_hex(plan)) {
      return verify::wrong("events.jsonl began with another plan than plan.json");
    }
    held("events",
         fmt::format("{} lines, one chain, {} attempts ended", events.lines, events.ended.size()));
    const std::string campaign = PYBOX_TRY(read("campaign.json"));
    summary_ = PYBOX_TRY(verify::check_campaign(campaign, events));
    PYBOX_TRY(check_agreement(events, sha256_hex(plan)));
    held("campaign",
         fmt::format(
             "{} checks, {} arms, {} attempts: all in the events, every count and verdict follows",
             summary_.checks, summary_.arms, summary_.attempts));
    const auto facts = PYBOX_TRY(verify::check_plan(plan, summary_));
    held("plan", fmt::format("{} checks, run as planned", facts.checks));
    PYBOX_TRY(check_blobs(events, facts));
    note_events(events);
    found_.campaign = summary_.campaign;
    found_.verdict = summary_.verdict;
    found_.complete = summary_.complete;
    return {};
  }

  Result<void> check_agreement(const verify::Events& events, const std::string& plan_sha256) {
    const std::string events_sha256 = manifest_.at("events.jsonl");
    const std::pair<bool, std::string_view> rules[] = {
        {summary_.events_sha256 == events_sha256,
         "campaign.json was judged from another events.jsonl"},
        {summary_.plan_sha256 == plan_sha256, "campaign.json was judged by another plan.json"},
        {summary_.campaign == events.campaign, "campaign.json has another id than events.jsonl"},
        {summary_.previous_id == events.previous_id &&
             summary_.previous_manifest == events.previous_manifest,
         "campaign.json names another campaign before it than events.jsonl"},
        {!summary_.complete || (events.closed && events.complete),
         "campaign.json says complete, events.jsonl does not"},
        {statements_.campaign == summary_.campaign && statements_.verdict == summary_.verdict &&
             statements_.events_sha256 == events_sha256 && statements_.plan_sha256 == plan_sha256,
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
    const fs::path self = fs::absolute(dir_).lexically_normal();
    const fs::path parent =
        self.has_filename() ? self.parent_path() : self.parent_path().parent_path();
    if (id.size() < 8) return std::nullopt;
    const std::string tail = "-" + id.substr(0, 8);
    std::error_code trouble;
    for (const fs::path& beside : sys::entries_of(parent, trouble)) {
      const std::string name = beside.filename().string();
      if (name != id && !name.ends_with(tail)) continue;
      auto manifest = verify::read_plain(beside / "manifest.sha256");
      if (manifest) return *std::move(manifest);
    }
    return std::nullopt;
  }

  fs::path dir_;
  PublicKey key_;
  VerifiedEvidence found_;
  std::string manifest_text_, signed_plan_;
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

Result<PublicKey> key_beside(const fs::path& dir) {
  const std::string pem = PYBOX_TRY(verify::read_plain(dir / "evidence.pub", 4096));
  return PYBOX_TRY_CONTEXT(public_key_from_pem(pem), (dir / "evidence.pub").string());
}

std::string verified_text(const VerifiedEvidence& verified, KeyFrom key) {
  std::string out;
  for (const VerifiedStep& step : verified.steps) {
    out += fmt::format("ok  {:<13} {}\n", step.name, step.words);
  }
  for (const std::string& note : verified.notes) out += "note: " + note + "\n";
  out += verified.is_bench ? fmt::format("\nBench {} holds together.\n", visible(verified.campaign))
                           : fmt::format("\nCampaign {} holds together; its verdict is `{}`.\n",
                                         visible(verified.campaign), visible(verified.verdict));
  out += "Signed by " + verified.key_id + "\n\n";
  if (key == KeyFrom::Own) out += "That is the key of this installation.\n\n";
  if (key == KeyFrom::Beside) {
    out +=
        "The key was taken from the folder itself, so this shows that nothing changed since it "
        "was\n"
        "signed, not by whom. Give the signer's key with --key.\n\n";
  }
  if (verified.is_bench) {
    return out +
           "What a signature does not prove: that the clock told the truth, or that the machine "
           "was "
           "quiet.\nMeasure again: `campaign bench`.\n";
  }
  return out +
         "What a signature does not prove: that the run was honest, that the machine told the "
         "truth, or\n"
         "that these checks are the right ones. Run them again: `campaign run CHECK`.\n";
}

}  // namespace pybox::reports
