#include <array>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "base/digest.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "receipt/canonical_json.hpp"
#include "replay/clean/evidence_lines.hpp"
#include "replay/keep/made_for_tests.hpp"

namespace pybox::replay {
namespace {

using nlohmann::json;

/// A way to falsify a recording, which judging it must notice. Digests and chain are made anew
/// behind every change, so that it is what the evidence says that must give it away, not its seals.
struct Mutation {
  std::string_view name;
  std::string_view what;  ///< in words
  /// nullopt: this recording has nothing of the kind (no report, no second arm).
  std::optional<Evidence> (*apply)(const Evidence& source);
  /// Must change a verdict or be refused; another digest alone is not enough.
  bool must_change_verdict;
};

/// The source as lines, and back: numbered and chained anew.
class Draft {
 public:
  explicit Draft(const Evidence& source) : evidence_(source) {
    auto lines = lines_of(source.events);
    if (lines) lines_ = std::move(lines).value();
  }

  std::vector<json>& lines() { return lines_; }

  /// Index of the first such event of an arm; nullopt: there is none.
  std::optional<std::size_t> find(std::string_view event, std::string_view arm) const {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const auto named = lines_[i].find("arm");
      if (lines_[i]["event"] == event && named != lines_[i].end() && *named == arm) return i;
    }
    return std::nullopt;
  }

  const std::string* blob(const json& line, const char* key) const {
    const auto name = line.find(key);
    if (name == line.end() || !name->is_string()) return nullptr;
    const auto found = evidence_.blobs.find(name->get<std::string>());
    return found == evidence_.blobs.end() ? nullptr : &found->second;
  }
  void put(json& line, const char* key, const std::string& bytes) {
    const std::string name = sha256_hex(bytes);
    evidence_.blobs[name] = bytes;
    line[key] = name;
  }

  std::optional<Evidence> finish() {
    std::string events;
    std::string previous = kNoLine;
    std::uint64_t number = 0;
    for (json& line : lines_) {
      line["seq"] = number++;
      line["prev"] = previous;
      auto text = canonical_json(line);
      if (!text) return std::nullopt;
      previous = sha256_hex(*text);
      events += *text + "\n";
    }
    evidence_.events = std::move(events);
    return std::move(evidence_);
  }

 private:
  Evidence evidence_;
  std::vector<json> lines_;
};

std::optional<Evidence> drop_control_nonce(const Evidence& source) {
  Draft draft(source);
  const auto at = draft.find("arm-ended", "control");
  if (!at) return std::nullopt;
  json& line = draft.lines()[*at];
  const std::string* const out = draft.blob(line, "out");
  const auto nonce = line.find("nonce");
  if (!out || nonce == line.end() || !nonce->is_string()) return std::nullopt;
  std::string changed = *out;
  const std::size_t place = changed.find(nonce->get<std::string>());
  if (place == std::string::npos) return std::nullopt;
  changed.replace(place, 32, std::string(32, '0'));
  draft.put(line, "out", changed);
  return draft.finish();
}

/// What the two arms left behind changes hands; each keeps its own name and nonce.
std::optional<Evidence> swap_arms(const Evidence& source) {
  Draft draft(source);
  const auto one = draft.find("arm-ended", "protected");
  const auto other = draft.find("arm-ended", "control");
  if (!one || !other) return std::nullopt;
  json& a = draft.lines()[*one];
  json& b = draft.lines()[*other];
  if (!a.contains("nonce") || !b.contains("nonce") || !draft.blob(a, "out") ||
      !draft.blob(b, "out"))
    return std::nullopt;
  // The nonces go along, or it would only look like silence.
  const std::string nonce_a = a["nonce"].get<std::string>();
  const std::string nonce_b = b["nonce"].get<std::string>();
  const auto with_nonce = [](std::string text, const std::string& from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
    return text;
  };
  const std::string out_a = with_nonce(*draft.blob(b, "out"), nonce_b, nonce_a);
  const std::string out_b = with_nonce(*draft.blob(a, "out"), nonce_a, nonce_b);
  draft.put(a, "out", out_a);
  draft.put(b, "out", out_b);
  std::swap(a["report"], b["report"]);
  return draft.finish();
}

std::optional<Evidence> truncate_blob(const Evidence& source) {
  Draft draft(source);
  const auto at = draft.find("arm-ended", "protected");
  if (!at) return std::nullopt;
  json& line = draft.lines()[*at];
  const std::string* const out = draft.blob(line, "out");
  if (!out || out->size() < 2) return std::nullopt;
  draft.put(line, "out", out->substr(0, out->size() / 2));
  return draft.finish();
}

/// The first number of the run that is not 0 becomes 0: kernel counters, exit codes, times.
bool zero_a_number(json& value) {
  if (value.is_number() && value != 0) {
    value = 0;
    return true;
  }
  if (!value.is_structured()) return false;
  for (json& item : value) {
    if (zero_a_number(item)) return true;
  }
  return false;
}

std::optional<Evidence> change_number(const Evidence& source) {
  Draft draft(source);
  const auto at = draft.find("arm-ended", "protected");
  if (!at) return std::nullopt;
  json& line = draft.lines()[*at];
  for (const char* const key : {"report", "out"}) {
    const std::string* const blob = draft.blob(line, key);
    if (!blob) continue;
    std::string_view rest = *blob;
    std::string changed;
    bool done = false;
    while (!rest.empty()) {
      const std::string_view text = take_line(rest);
      auto parsed = done ? Result<json>(json()) : parse_json(text);
      if (!done && parsed && parsed->is_object() && zero_a_number(*parsed)) {
        changed += parsed->dump() + "\n";
        done = true;
      } else {
        changed += std::string(text) + "\n";
      }
    }
    if (!done) continue;
    draft.put(line, key, changed);
    return draft.finish();
  }
  return std::nullopt;
}

std::optional<Evidence> drop_control(const Evidence& source) {
  Draft draft(source);
  std::size_t before = draft.lines().size();
  std::erase_if(draft.lines(),
                [](const json& line) { return line.contains("arm") && line["arm"] == "control"; });
  return draft.lines().size() == before ? std::nullopt : draft.finish();
}

std::optional<Evidence> claim_removed(const Evidence& source) {
  Draft draft(source);
  const auto at = draft.find("arm-started", "control");
  if (!at || !draft.lines()[*at].contains("removed")) return std::nullopt;
  draft.lines()[*at]["removed"].push_back("cred.caps");
  return draft.finish();
}

std::optional<Evidence> add_trouble(const Evidence& source) {
  Draft draft(source);
  const auto at = draft.find("arm-ended", "control");
  if (!at) return std::nullopt;
  draft.lines()[*at]["trouble"] = "the box was lost";
  return draft.finish();
}

std::optional<Evidence> forget_end(const Evidence& source) {
  Draft draft(source);
  if (draft.lines().back()["event"] != "campaign-ended") return std::nullopt;
  draft.lines().pop_back();
  return draft.finish();
}

std::span<const Mutation> mutations() {
  // clang-format off
  static const std::array kAll = {
      Mutation{"drop-control-nonce", "the control's line loses its nonce", drop_control_nonce, true},
      Mutation{"swap-arms", "what protected and control left behind changes hands", swap_arms, true},
      Mutation{"truncate-blob", "the protected arm's output ends in its middle", truncate_blob, true},
      Mutation{"change-number", "the first number of the protected run that is not 0 becomes 0", change_number, false},
      Mutation{"drop-control", "the control arm was never run", drop_control, true},
      Mutation{"claim-removed", "the control arm leaves one more protection out", claim_removed, true},
      Mutation{"add-trouble", "the control arm ended in trouble", add_trouble, true},
      Mutation{"forget-end", "the campaign never ended", forget_end, true},
  };
  // clang-format on
  return kAll;
}

/// What became of a mutation.
struct Noticed {
  const Mutation* mutation = nullptr;
  bool applies = false;
  bool noticed = false;
  std::string how;  ///< the refusal, or the first drift
};

Noticed outcome_of(const Mutation& mutation, const Evidence& falsified, const std::string& today) {
  Noticed noticed{&mutation, true, false, {}};
  auto judged = judge(falsified);
  if (!judged) {
    noticed.noticed = true;
    noticed.how = "refused: " + judged.error().message();
    return noticed;
  }
  auto other = expectation(*judged);
  if (!other) {
    noticed.noticed = true;
    noticed.how = "refused: " + other.error().message();
    return noticed;
  }
  for (const Drift& drift : drifts(today, *other)) {
    const bool is_verdict = drift.kind == DriftKind::Verdict;
    if (mutation.must_change_verdict && !is_verdict) continue;
    noticed.noticed = true;
    noticed.how = std::string(name_of(drift.kind)) + ": " + drift.what;
    break;
  }
  return noticed;
}

/// Applies each of them to a recording that judges as expected.
std::vector<Noticed> mutate(const Recording& recording) {
  const Rejudged original = rejudge(recording).value();
  std::vector<Noticed> all;
  for (const Mutation& mutation : mutations()) {
    const auto falsified = mutation.apply(recording.evidence);
    all.push_back(falsified ? outcome_of(mutation, *falsified, original.today)
                            : Noticed{&mutation, false, false, "nothing of the kind in it"});
  }
  return all;
}

}  // namespace

TEST_CASE("every mutation that applies is noticed, and those of arms by the verdict") {
  const Made made;
  std::size_t applied = 0;
  for (const Noticed& each : mutate(made.recording)) {
    INFO(each.mutation->name << ": " << each.how);
    if (!each.applies) continue;
    ++applied;
    CHECK(each.noticed);
  }
  CHECK(applied == mutations().size());
}

TEST_CASE("every recording of the tree, falsified in each way that applies, is noticed") {
  std::size_t looked = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(PYBOX_SOURCE_DIR "/replay/recordings")) {
    const auto recording = read_recording(entry.path());
    REQUIRE(recording.has_value());
    // Of a breakthrough nothing a control says changes the verdict.
    if (recording->meta.must == Must::StayRed) continue;
    for (const Noticed& each : mutate(*recording)) {
      INFO(entry.path().string() << " " << each.mutation->name);
      if (!each.applies) continue;
      CHECK(each.noticed);
      ++looked;
    }
  }
  CHECK(looked > 40);
}

}  // namespace pybox::replay
