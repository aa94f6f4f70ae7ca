#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "reports/verify/parts.hpp"

namespace pybox::reports::verify {
namespace {

using nlohmann::json;

/// Reads one line after the other and remembers what the next must fit.
class Reader {
 public:
  Result<void> add(std::string_view line) {
    const std::string place = "events.jsonl line " + std::to_string(events_.lines + 1);
    const json root = PYBOX_TRY_CONTEXT(parse_json(line), place);
    JsonFields fields = PYBOX_TRY_CONTEXT(JsonFields::of(root, ""), place);
    auto added = add_fields(fields);
    if (!added) return std::move(added).error().as(ErrorKind::Evidence).context(place);
    PYBOX_TRY(check_form(line, place));
    chain_.passed(line);
    events_.lines = chain_.lines();
    return {};
  }

  Result<Events> finish() && {
    if (events_.lines == 0) return wrong("events.jsonl is empty");
    if (events_.closed && events_.complete && !open_.empty()) {
      return wrong("events.jsonl ends as complete, but " + std::to_string(open_.size()) +
                   " arms were started and never ended");
    }
    events_.unfinished = open_.size();
    return std::move(events_);
  }

 private:
  Result<void> add_fields(JsonFields& fields) {
    const std::string event = PYBOX_TRY(chain_.fit(fields));
    PYBOX_TRY(add_event(fields, event));
    return fields.finish();
  }

  Result<void> add_event(JsonFields& fields, const std::string& event) {
    if (event == "campaign-resumed") {
      events_.closed = false;
      ++events_.resumed;
      // What an interruption cut off is run again under a number of its own.
      events_.cut_off += open_.size();
      open_.clear();
      if (fields.has("torn_bytes")) PYBOX_TRY(fields.count("torn_bytes"));
      return {};
    }
    if (events_.closed) return wrong("comes after the end of the campaign");
    if (event == "campaign-started") return start(fields);
    if (event == "arm-started") return start_arm(fields);
    if (event == "arm-ended") return end_arm(fields);
    if (event == "check-unmet") {
      events_.unmet.insert(PYBOX_TRY(full_id(fields)));
      PYBOX_TRY(fields.text("reason", kLong));
      return {};
    }
    if (event != "campaign-ended") return wrong("is not a known event: " + visible(event));
    events_.complete = PYBOX_TRY(fields.flag("complete"));
    events_.closed = true;
    return {};
  }

  Result<void> start(JsonFields& fields) {
    events_.campaign = PYBOX_TRY(fields.text("id"));
    events_.plan_sha256 = PYBOX_TRY(fields.text("plan_sha256"));
    PYBOX_TRY(fields.object("environment"));
    PYBOX_TRY(fields.object("tools"));
    if (!fields.has("previous")) return {};
    JsonFields previous = PYBOX_TRY(fields.object("previous"));
    events_.previous_id = PYBOX_TRY(previous.text("id"));
    events_.previous_manifest = PYBOX_TRY(previous.text("manifest_sha256"));
    return previous.finish();
  }

  static Result<std::string> full_id(JsonFields& fields) {
    const std::string check = PYBOX_TRY(fields.text("check"));
    return check + "@" + PYBOX_TRY(fields.text("engine"));
  }

  static Result<std::string> key_of(JsonFields& fields) {
    const std::string id = PYBOX_TRY(full_id(fields));
    const std::string arm = PYBOX_TRY(fields.text("arm"));
    return arm_key(id, arm, PYBOX_TRY(fields.count("attempt", 100000)));
  }

  Result<void> start_arm(JsonFields& fields) {
    const std::string key = PYBOX_TRY(key_of(fields));
    EndedArm arm;
    arm.nonce = PYBOX_TRY(fields.text("nonce"));
    PYBOX_TRY(fields.text("canary"));
    for (const json* item : PYBOX_TRY(fields.list("removed", 1000))) {
      if (!item->is_string()) return wrong("`removed` holds something other than names");
      arm.removed.push_back(item->get<std::string>());
    }
    if (!nonces_.insert(arm.nonce).second) return wrong("uses a nonce for the second time");
    if (events_.ended.contains(key))
      return wrong("starts an arm that ended already: " + visible(key));
    open_[key] = std::move(arm);
    return {};
  }

  Result<std::string> blob(JsonFields& fields, const char* key) {
    std::string digest = PYBOX_TRY(fields.text_or_null(key)).value_or("");
    if (!digest.empty()) events_.blobs.insert(digest);
    return digest;
  }

  Result<void> end_arm(JsonFields& fields) {
    const std::string key = PYBOX_TRY(key_of(fields));
    const auto found = open_.find(key);
    if (found == open_.end()) return wrong("ends an arm that was not started: " + visible(key));
    EndedArm arm = std::move(found->second);
    open_.erase(found);
    if (PYBOX_TRY(fields.text("nonce")) != arm.nonce) {
      return wrong("ends an arm with another nonce than it started with: " + visible(key));
    }
    arm.report = PYBOX_TRY(blob(fields, "report"));
    arm.out = PYBOX_TRY(blob(fields, "out"));
    arm.err = PYBOX_TRY(blob(fields, "err"));
    PYBOX_TRY(fields.list("witnesses", 10000));
    arm.duration_us = PYBOX_TRY(fields.count("duration_us"));
    PYBOX_TRY(fields.text("trouble", kLong));
    events_.ended[key] = std::move(arm);
    return {};
  }

  static constexpr std::size_t kLong = 1U << 20U;
  Events events_;
  std::map<std::string, EndedArm> open_;
  std::set<std::string> nonces_;
  // Another start of the machine has another clock.
  Chain chain_{"campaign-started", "campaign-resumed"};
};

}  // namespace

Result<std::string> Chain::fit(JsonFields& fields) {
  const std::uint64_t seq = PYBOX_TRY(fields.count("seq"));
  const std::string prev = PYBOX_TRY(fields.text("prev"));
  const std::uint64_t at = PYBOX_TRY(fields.count("at_us"));
  PYBOX_TRY(fields.text("utc", 64));
  std::string event = PYBOX_TRY(fields.text("event"));
  if (seq != lines_) {
    return wrong("has the number " + std::to_string(seq) + ", not " + std::to_string(lines_) +
                 ": a line is missing or too many");
  }
  if (prev != before_) return wrong("does not continue the line before it: the chain is broken");
  if (event != afresh_ && at < at_us_) return wrong("goes back in time");
  at_us_ = at;
  if ((seq == 0) != (event == first_)) {
    return wrong("`" + std::string(first_) + "` must be in the first line and nowhere else");
  }
  return event;
}

void Chain::passed(std::string_view line) {
  before_ = sha256_hex(line);
  ++lines_;
}

std::string arm_key(const std::string& full_id, const std::string& arm, std::uint64_t attempt) {
  return full_id + " " + arm + " " + std::to_string(attempt);
}

Result<Events> read_events(std::string_view text) {
  Reader reader;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return wrong("the last line of events.jsonl is cut off");
    PYBOX_TRY(reader.add(text.substr(0, end)));
    text.remove_prefix(end + 1);
  }
  return std::move(reader).finish();
}

}  // namespace pybox::reports::verify
