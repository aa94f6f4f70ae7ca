#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "campaign/model/event.hpp"
#include "campaign/model/shared_json.hpp"

namespace pybox::campaign {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<EventKind, std::string_view>, 6> kKinds = {{
    {EventKind::Started, "campaign-started"},
    {EventKind::Resumed, "campaign-resumed"},
    {EventKind::ArmStarted, "arm-started"},
    {EventKind::ArmEnded, "arm-ended"},
    {EventKind::CheckUnmet, "check-unmet"},
    {EventKind::Ended, "campaign-ended"},
}};

/// Of words that came from elsewhere: escaped they are at most four times as long, and are read
/// back with that bound.
constexpr std::size_t kLongest = 16384;
constexpr std::size_t kMostWitnesses = 1024;

json bounded(std::string_view text) {
  return safe_text(cut_at_character(text.substr(0, kLongest)));
}

json witnesses_json(const std::vector<std::string>& witnesses) {
  json list = json::array();
  for (const std::string& each : witnesses) {
    if (list.size() == kMostWitnesses) break;
    list.push_back(bounded(each));
  }
  return list;
}

std::string_view name_of_kind(EventKind kind) {
  for (const auto& [each, name] : kKinds) {
    if (each == kind) return name;
  }
  return "";
}

json started_json(const Event& event) {
  return {{"id", event.id},
          {"plan_sha256", event.plan_sha256},
          {"previous", previous_json(event.previous)},
          {"environment", facts_json(event.environment)},
          {"tools", event.tools}};
}

json arm_json(const Event& event) {
  json object = {{"check", event.check},
                 {"engine", name_of(event.engine)},
                 {"arm", event.arm},
                 {"attempt", event.attempt},
                 {"nonce", event.nonce}};
  if (event.kind == EventKind::ArmStarted) {
    object["removed"] = event.removed;
    object["canary"] = event.canary;
    return object;
  }
  object["report"] = or_null(event.report);
  object["out"] = or_null(event.out);
  object["err"] = or_null(event.err);
  object["witnesses"] = witnesses_json(event.witnesses);
  object["duration_us"] = micros(event.duration);
  object["trouble"] = bounded(event.trouble);
  return object;
}

json body_json(const Event& event) {
  switch (event.kind) {
    case EventKind::Started: return started_json(event);
    case EventKind::Resumed: return {{"torn_bytes", event.torn_bytes}};
    case EventKind::ArmStarted:
    case EventKind::ArmEnded: return arm_json(event);
    case EventKind::CheckUnmet:
      return {{"check", event.check},
              {"engine", name_of(event.engine)},
              {"reason", bounded(event.reason)}};
    case EventKind::Ended: return {{"complete", event.complete}};
  }
  return json::object();
}

Result<void> read_started(JsonFields& fields, const json& root, Event& event) {
  event.id = PYBOX_TRY(fields.text("id", 64));
  event.plan_sha256 = PYBOX_TRY(fields.text("plan_sha256", 64));
  event.previous = PYBOX_TRY(previous_of(fields));
  event.environment = PYBOX_TRY(text_map_of(fields, root, "environment"));
  event.tools = PYBOX_TRY(text_map_of(fields, root, "tools"));
  return {};
}

Result<void> read_check_name(JsonFields& fields, Event& event) {
  event.check = PYBOX_TRY(fields.text("check"));
  event.engine = PYBOX_TRY(engine_of(fields));
  return {};
}

Result<void> read_arm(JsonFields& fields, Event& event) {
  PYBOX_TRY(read_check_name(fields, event));
  event.arm = PYBOX_TRY(fields.text("arm"));
  event.attempt = static_cast<std::uint32_t>(PYBOX_TRY(fields.count("attempt", 1000)));
  event.nonce = PYBOX_TRY(fields.text("nonce", 64));
  if (event.kind == EventKind::ArmStarted) {
    event.removed = PYBOX_TRY(texts_of(fields, "removed"));
    event.canary = PYBOX_TRY(fields.text("canary", 64));
    return {};
  }
  event.report = PYBOX_TRY(fields.text_or_null("report", 64));
  event.out = PYBOX_TRY(fields.text_or_null("out", 64));
  event.err = PYBOX_TRY(fields.text_or_null("err", 64));
  event.witnesses = PYBOX_TRY(texts_of(fields, "witnesses", kMostWitnesses));
  event.duration = from_micros(PYBOX_TRY(fields.count("duration_us", std::uint64_t{1} << 50U)));
  event.trouble = PYBOX_TRY(fields.text("trouble", 4 * kLongest));
  return {};
}

Result<void> read_body(JsonFields& fields, const json& root, Event& event) {
  switch (event.kind) {
    case EventKind::Started: return read_started(fields, root, event);
    case EventKind::Resumed: event.torn_bytes = PYBOX_TRY(fields.count("torn_bytes")); return {};
    case EventKind::ArmStarted:
    case EventKind::ArmEnded: return read_arm(fields, event);
    case EventKind::CheckUnmet:
      PYBOX_TRY(read_check_name(fields, event));
      event.reason = PYBOX_TRY(fields.text("reason", 4 * kLongest));
      return {};
    case EventKind::Ended: event.complete = PYBOX_TRY(fields.flag("complete")); return {};
  }
  return {};
}

Result<Event> read_event(std::string_view line) {
  const json root = PYBOX_TRY(parse_json(line));
  JsonFields fields = PYBOX_TRY(JsonFields::of(root, ""));
  Event event;
  static_cast<LineHead&>(event) = PYBOX_TRY(line_head_of(fields));
  const std::string name = PYBOX_TRY(fields.text("event", 64));
  bool known = false;
  for (const auto& [kind, each] : kKinds) {
    if (each != name) continue;
    event.kind = kind;
    known = true;
  }
  if (!known) return Error(ErrorKind::Evidence, "there is no such event");
  PYBOX_TRY(read_body(fields, root, event));
  PYBOX_TRY(fields.finish());
  return event;
}

}  // namespace

Result<std::string> event_to_json(const Event& event) {
  json object = body_json(event);
  put_line_head(object, event);
  object["event"] = name_of_kind(event.kind);
  std::string line = PYBOX_TRY(as_line(object));
  line.pop_back();
  return line;
}

Result<Event> event_from_json(std::string_view line) {
  auto event = read_event(line);
  if (!event) return std::move(event).error().as(ErrorKind::Evidence);
  return event;
}

Result<void> walk_lines(std::string_view text,
                        const std::function<Result<LineHead>(std::string_view line)>& take) {
  std::string before = no_line_before();
  for (std::uint64_t number = 0; !text.empty(); ++number) {
    const std::string place = "events.jsonl line " + std::to_string(number + 1);
    if (text.find('\n') == std::string_view::npos)
      return Error(ErrorKind::Evidence, place + " is torn: it has no end");
    const std::string_view line = take_line(text);
    auto head = take(line);
    if (!head) return std::move(head).error().as(ErrorKind::Evidence).context(place);
    if (head->seq != number)
      return Error(ErrorKind::Evidence, place + " has the number " + std::to_string(head->seq));
    if (head->prev != before)
      return Error(ErrorKind::Evidence, place + " does not follow the line before it");
    before = sha256_hex(line);
  }
  return {};
}

Result<std::vector<Event>> read_events(std::string_view text) {
  std::vector<Event> events;
  const auto take = [&](std::string_view line) -> Result<LineHead> {
    events.push_back(PYBOX_TRY(event_from_json(line)));
    return LineHead(events.back());
  };
  PYBOX_TRY(walk_lines(text, take));
  return events;
}

std::string no_line_before() { return std::string(64, '0'); }

}  // namespace pybox::campaign
