#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "receipt/canonical_json.hpp"
#include "replay/clean/allowed_keys.hpp"
#include "replay/clean/evidence_lines.hpp"
#include "replay/clean/values.hpp"

namespace pybox::replay {
namespace {

using nlohmann::json;

Error bad_value(std::string what) { return {ErrorKind::Evidence, std::move(what)}; }

bool is_digest_text(std::string_view text) {
  if (text.substr(0, 7) == "sha256:") text.remove_prefix(7);
  return is_hex(text, 64);
}

/// Keys whose values are digests or ids by what they mean, and nothing else.
bool is_digest_key(std::string_view key) {
  return key == "image_id" || key == "keyid" ||
         (key.size() >= 6 && key.substr(key.size() - 6) == "sha256");
}

/// "6.12.63" of "6.12.63-built-for-somebody": the rest is what a vendor calls it.
std::string version_alone(const std::string& release) {
  return release.substr(0, release.find_first_not_of("0123456789."));
}

}  // namespace

Result<std::string> Values::clean_report(const std::string& text) {
  auto parsed = parse_json(text);
  if (!parsed || !parsed->is_object()) return bad_value("a report is not a JSON object");
  json report = std::move(parsed).value();
  const json before = report;
  for (auto it = report.begin(); it != report.end();) {
    if (is_report_key(it.key())) {
      ++it;
    } else {
      ++(*counts_)["key"];
      it = report.erase(it);
    }
  }
  if (report.contains("capture") && report["capture"].is_object()) {
    for (const char* const stream : {"stdout", "stderr"}) {
      if (report["capture"].contains(stream)) clean_stream(report["capture"][stream]);
    }
  }
  clean_value(report, "");
  return report == before ? text : canonical_json(report);
}

void Values::clean_stream(json& stream) {
  if (!stream.is_object()) return;
  std::string bytes;
  const bool binary = stream.contains("base64") && stream["base64"].is_string();
  if (binary && !base64_decode(stream["base64"].get<std::string>(), bytes)) return;
  if (!binary && stream.contains("text") && stream["text"].is_string())
    bytes = stream["text"].get<std::string>();
  const std::string cleaned = clean_output(bytes);
  if (cleaned == bytes && !binary) return;
  stream["text"] = cleaned;
  stream["base64"] = nullptr;
  stream["encoding"] = "utf-8";
  const std::uint64_t kept = stream.value("bytes_kept", std::uint64_t{0});
  stream["bytes_kept"] = cleaned.size();
  if (stream.contains("bytes_total") && stream["bytes_total"].is_number_unsigned()) {
    const std::uint64_t dropped = stream["bytes_total"].get<std::uint64_t>() - kept;
    stream["bytes_total"] = cleaned.size() + dropped;
    if (dropped == 0 && stream.contains("sha256")) stream["sha256"] = sha256_hex(cleaned);
  }
}

std::string Values::clean_output(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    const bool ends = bytes.find('\n') != std::string_view::npos;
    const std::string_view line = take_line(bytes);
    out += clean_line(line);
    if (ends) out += '\n';
  }
  return out;
}

std::string Values::clean_line(std::string_view line) {
  if (!line.empty() && (line.front() == '{' || line.front() == '[')) {
    if (auto parsed = parse_json(line)) {
      json value = std::move(parsed).value();
      const json before = value;
      clean_value(value, "");
      if (value == before) return std::string(line);
      return value.dump(-1, ' ', true, json::error_handler_t::replace);
    }
  }
  return clean_text(line, *allowed_, *counts_);
}

void Values::clean_value(json& value, std::string_view key) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (is_digest_key(key) && is_digest_text(text)) return;
    if (key == "kernel.release" || key == "kernel") {
      const std::string version = version_alone(text);
      if (version != text) ++(*counts_)["kernel"];
      value = version;
      return;
    }
    value = clean_text(text, *allowed_, *counts_);
  } else if (value.is_object()) {
    clean_object(value);
  } else if (value.is_array()) {
    for (json& item : value) clean_value(item, key);
  }
}

/// Keys are words of ours in a report, and anybody's in a line of output.
void Values::clean_object(json& value) {
  json kept = json::object();
  for (auto& [name, item] : value.items()) {
    // A value beside a name that sounds like a secret's, as in NAME=value.
    Counts unused;
    if (item.is_string() && item != "[secret]" &&
        clean_text(name + "=x", *allowed_, unused) == name + "=[secret]") {
      ++(*counts_)["setting"];
      kept[name] = "[secret]";
      continue;
    }
    const std::string cleaned = clean_text(name, *allowed_, *counts_);
    clean_value(item, name);
    kept[cleaned] = std::move(item);
  }
  value = std::move(kept);
}

}  // namespace pybox::replay
