#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "replay/clean/clean.hpp"
#include "replay/clean/evidence_lines.hpp"
#include "sys/file.hpp"

namespace pybox::replay {
namespace {

using nlohmann::json;

constexpr Bytes kLargestFile = 64_MiB;

Error bad_line(std::string what) { return {ErrorKind::Evidence, std::move(what)}; }

}  // namespace

bool is_hex(std::string_view text, std::size_t size) {
  return text.size() == size &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<std::vector<json>> lines_of(std::string_view events) {
  std::vector<json> lines;
  while (!events.empty()) {
    const std::string_view text = take_line(events);
    auto line = parse_json(text);
    if (!line || !line->is_object() || !line->contains("event") || !(*line)["event"].is_string())
      return bad_line("line " + std::to_string(lines.size() + 1) +
                      " of events.jsonl is not an event");
    lines.push_back(std::move(line).value());
  }
  if (lines.empty()) return bad_line("events.jsonl is empty");
  return lines;
}

std::vector<std::string> blobs_of(const json& event) {
  std::vector<std::string> names;
  for (const char* const key : {"report", "out", "err"}) {
    const auto found = event.find(key);
    if (found != event.end() && found->is_string()) names.push_back(found->get<std::string>());
  }
  return names;
}

Result<Evidence> read_evidence(const std::filesystem::path& dir) {
  Evidence evidence;
  evidence.plan = PYBOX_TRY(sys::read_file(dir / "plan.json", kLargestFile));
  evidence.events = PYBOX_TRY(sys::read_file(dir / "events.jsonl", kLargestFile));
  for (const json& line : PYBOX_TRY(lines_of(evidence.events))) {
    for (const std::string& name : blobs_of(line)) {
      if (!is_hex(name, 64)) return bad_line("a blob is called `" + visible(name) + "`");
      if (evidence.blobs.contains(name)) continue;
      std::string bytes =
          PYBOX_TRY(sys::read_file(dir / "raw" / name.substr(0, 2) / name.substr(2), kLargestFile));
      if (sha256_hex(bytes) != name)
        return bad_line("the blob " + name + " is not what its name says");
      evidence.blobs.emplace(name, std::move(bytes));
    }
  }
  return evidence;
}

}  // namespace pybox::replay
