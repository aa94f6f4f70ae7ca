#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "receipt/canonical_json.hpp"
#include "replay/clean/allowed_keys.hpp"
#include "replay/clean/clean.hpp"
#include "replay/clean/evidence_lines.hpp"
#include "replay/clean/values.hpp"

namespace pybox::replay {
namespace {

using nlohmann::json;

Error bad_recording(std::string what) { return {ErrorKind::Evidence, std::move(what)}; }

class Cleaning {
 public:
  Cleaning(const Evidence& source, const std::vector<std::string>& names, Rules rules)
      : source_(&source), rules_(rules) {
    allowed_.names = names;
    // A machine called like a word of the evidence would tear it apart; and one letter is no name.
    std::erase_if(allowed_.names,
                  [](const std::string& name) { return name.size() < 2 || name == "root"; });
  }

  Result<Cleaned> run() {
    std::vector<json> lines = PYBOX_TRY(lines_of(source_->events));
    for (const json& line : lines) learn(line);
    if (rules_ == Rules::Off) return Cleaned{*source_, {}};
    made_.evidence.plan = source_->plan;
    std::string previous = kNoLine;
    std::uint64_t number = 0;
    for (json& line : lines) {
      if (!is_known_event(line["event"].get<std::string>())) {
        ++made_.counts["event"];
        continue;
      }
      PYBOX_TRY(clean_event(line));
      line["seq"] = number++;
      line["prev"] = previous;
      const std::string text = PYBOX_TRY(canonical_json(line));
      previous = sha256_hex(text);
      made_.evidence.events += text + "\n";
    }
    return std::move(made_);
  }

 private:
  /// What the evidence made itself may stay wherever it stands.
  void learn(const json& line) {
    for (const char* const key : {"nonce", "canary"}) {
      const auto found = line.find(key);
      if (found != line.end() && found->is_string() && is_hex(found->get<std::string>(), 32))
        allowed_.words.insert(found->get<std::string>());
    }
    for (const std::string& blob : blobs_of(line)) allowed_.words.insert(blob);
    for (const char* const key : {"check", "id"}) {
      const auto found = line.find(key);
      if (found != line.end() && found->is_string() && is_plain_word(found->get<std::string>()))
        allowed_.words.insert(found->get<std::string>());
    }
    if (line.contains("environment") && line["environment"].is_object()) {
      for (const auto& [name, value] : line["environment"].items()) {
        if (is_fact_allowed(name) && value.is_string())
          allowed_.words.insert(value.get<std::string>());
      }
    }
  }

  Result<void> clean_event(json& line) {
    const auto keys = keys_of_event(line["event"].get<std::string>());
    json kept = json::object();
    for (auto& [key, value] : line.items()) {
      const bool common =
          key == "seq" || key == "prev" || key == "at_us" || key == "utc" || key == "event";
      if (common || std::find(keys.begin(), keys.end(), key) != keys.end()) {
        kept[key] = std::move(value);
      } else {
        ++made_.counts["key"];
      }
    }
    line = std::move(kept);
    if (line.contains("environment")) clean_facts(line["environment"]);
    for (const char* const key : {"witnesses", "trouble", "reason"}) {
      if (line.contains(key)) values_.clean_value(line[key], key);
    }
    for (const char* const key : {"report", "out", "err"}) {
      const auto found = line.find(key);
      if (found == line.end() || !found->is_string()) continue;
      line[key] =
          PYBOX_TRY(clean_blob(found->get<std::string>(), std::string_view(key) == "report"));
    }
    return {};
  }

  void clean_facts(json& facts) {
    if (!facts.is_object()) return;
    json kept = json::object();
    for (auto& [name, value] : facts.items()) {
      if (is_fact_allowed(name)) {
        kept[name] = std::move(value);
        values_.clean_value(kept[name], name);
      } else {
        ++made_.counts["fact"];
      }
    }
    facts = std::move(kept);
  }

  /// Gives the name of the cleaned blob.
  Result<std::string> clean_blob(const std::string& name, bool is_report) {
    const auto found = source_->blobs.find(name);
    if (found == source_->blobs.end()) return bad_recording("the blob " + name + " is missing");
    std::string cleaned;
    if (is_report) {
      cleaned = PYBOX_TRY(values_.clean_report(found->second));
    } else {
      cleaned = values_.clean_output(found->second);
    }
    const std::string digest = sha256_hex(cleaned);
    made_.evidence.blobs[digest] = std::move(cleaned);
    return digest;
  }

  const Evidence* source_;
  Rules rules_;
  Allowed allowed_;
  Cleaned made_;
  Values values_{allowed_, made_.counts};
};

}  // namespace

Result<Cleaned> clean(const Evidence& source, const std::vector<std::string>& names, Rules rules) {
  return Cleaning(source, names, rules).run();
}

std::string rules_digest() { return sha256_hex(key_rules() + std::string(text_rules())); }

}  // namespace pybox::replay
