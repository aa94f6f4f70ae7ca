#include <array>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "receipt/canonical_json.hpp"
#include "replay/clean/evidence_lines.hpp"
#include "replay/keep/mutations.hpp"

namespace pybox::replay {
namespace {

using nlohmann::json;

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

}  // namespace

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

}  // namespace pybox::replay
