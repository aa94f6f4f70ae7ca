#include <unistd.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/digest.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "receipt/canonical_json.hpp"
#include "replay/clean/evidence_lines.hpp"
#include "replay/keep/recording.hpp"
#include "sys/file.hpp"

namespace pybox::replay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr Bytes kLargestSmall = 1_MiB;
constexpr std::size_t kMostRules = 64;

Error bad(std::string what) { return {ErrorKind::Evidence, std::move(what)}; }

Result<std::string> digest_in(JsonFields& fields, std::string_view key) {
  std::string text = PYBOX_TRY(fields.text(key));
  if (!is_hex(text, 64)) return bad("`" + fields.place(key) + "` is not a SHA-256");
  return text;
}

Result<Counts> counts_in(const json& value) {
  if (!value.is_object() || value.size() > kMostRules)
    return bad("`cleaned.counts` must be an object");
  Counts counts;
  for (const auto& [rule, count] : value.items()) {
    if (!count.is_number_unsigned()) return bad("`cleaned.counts` must hold numbers");
    counts[rule] = count.get<std::uint64_t>();
  }
  return counts;
}

Result<Meta> read_meta(const json& root) {
  Meta meta;
  JsonFields fields = PYBOX_TRY(JsonFields::of(root, ""));
  const std::uint64_t version = PYBOX_TRY(fields.count("schema_version"));
  if (version != 1) return bad("`schema_version` must be 1");
  meta.name = PYBOX_TRY(fields.text("name"));
  meta.why = PYBOX_TRY(fields.text("why"));
  const std::string must = PYBOX_TRY(fields.text("must"));
  if (must != "stay green" && must != "stay red")
    return bad("`must` must be `stay green` or `stay red`");
  meta.must = must == "stay red" ? Must::StayRed : Must::StayGreen;
  JsonFields source = PYBOX_TRY(fields.object("source"));
  meta.source_file = PYBOX_TRY(source.text("file"));
  meta.source_sha256 = PYBOX_TRY(digest_in(source, "sha256"));
  meta.source_bytes = PYBOX_TRY(source.count("bytes"));
  meta.campaign = PYBOX_TRY(source.text("campaign"));
  PYBOX_TRY(source.finish());
  JsonFields cleaned = PYBOX_TRY(fields.object("cleaned"));
  meta.rules_sha256 = PYBOX_TRY(digest_in(cleaned, "rules_sha256"));
  meta.events_sha256 = PYBOX_TRY(digest_in(cleaned, "events_sha256"));
  meta.plan_sha256 = PYBOX_TRY(digest_in(cleaned, "plan_sha256"));
  PYBOX_TRY(cleaned.object("counts"));
  meta.counts = PYBOX_TRY(counts_in(root["cleaned"]["counts"]));
  PYBOX_TRY(cleaned.finish());
  PYBOX_TRY(fields.finish());
  return meta;
}

/// Every file of the folder but those that belong there.
Result<void> refuse_strangers(const fs::path& dir, const Evidence& evidence) {
  std::set<std::string> known = {"meta.json", "plan.json", "events.jsonl", "expect.json"};
  for (const auto& [name, bytes] : evidence.blobs)
    known.insert("raw/" + name.substr(0, 2) + "/" + name.substr(2));
  std::error_code problem;
  fs::recursive_directory_iterator walk(dir, problem);
  for (; !problem && walk != fs::recursive_directory_iterator(); walk.increment(problem)) {
    const std::string name = walk->path().lexically_relative(dir).generic_string();
    if (walk->is_symlink() || (!walk->is_directory() && !known.contains(name)))
      return bad("`" + visible(name) + "` does not belong to the recording");
  }
  if (problem) return Error::from_errno(problem.value(), "listing " + dir.string());
  return {};
}

}  // namespace

std::string meta_to_json(const Meta& meta) {
  nlohmann::ordered_json counts = nlohmann::ordered_json::object();
  for (const auto& [rule, count] : meta.counts) counts[rule] = count;
  nlohmann::ordered_json root;
  root["schema_version"] = 1;
  root["name"] = meta.name;
  root["why"] = meta.why;
  root["must"] = meta.must == Must::StayRed ? "stay red" : "stay green";
  root["source"]["file"] = meta.source_file;
  root["source"]["sha256"] = meta.source_sha256;
  root["source"]["bytes"] = meta.source_bytes;
  root["source"]["campaign"] = meta.campaign;
  root["cleaned"]["rules_sha256"] = meta.rules_sha256;
  root["cleaned"]["counts"] = counts;
  root["cleaned"]["events_sha256"] = meta.events_sha256;
  root["cleaned"]["plan_sha256"] = meta.plan_sha256;
  return readable_json(root);
}

Result<Meta> meta_from_json(std::string_view text) {
  auto root = parse_json(text);
  if (!root) return std::move(root).error().as(ErrorKind::Evidence);
  auto meta = read_meta(*root);
  if (!meta) return std::move(meta).error().as(ErrorKind::Evidence);
  return meta;
}

Result<Recording> read_recording(const fs::path& dir) {
  Recording recording;
  const std::string meta = PYBOX_TRY(sys::read_file(dir / "meta.json", kLargestSmall));
  recording.meta = PYBOX_TRY_CONTEXT(meta_from_json(meta), "meta.json");
  recording.evidence = PYBOX_TRY(read_evidence(dir));
  recording.expect = PYBOX_TRY(sys::read_file(dir / "expect.json"));
  if (sha256_hex(recording.evidence.events) != recording.meta.events_sha256)
    return bad("events.jsonl is not the file that meta.json names");
  if (sha256_hex(recording.evidence.plan) != recording.meta.plan_sha256)
    return bad("plan.json is not the file that meta.json names");
  PYBOX_TRY(refuse_strangers(dir, recording.evidence));
  return recording;
}

Result<void> write_recording(const fs::path& dir, const Recording& recording) {
  std::error_code problem;
  if (fs::exists(dir, problem))
    return Error(ErrorKind::Usage, visible(dir.string()) + " exists already")
        .hint("a recording is never changed; remove it, or choose another name");
  const fs::path target = fs::absolute(dir, problem);
  const fs::path temporary =
      target.parent_path() / ("." + target.filename().string() + "." + std::to_string(::getpid()));
  const auto fill = [&]() -> Result<void> {
    fs::create_directories(temporary / "raw", problem);
    if (problem) return Error::from_errno(problem.value(), "making " + temporary.string());
    const auto put = [&](const fs::path& name, const std::string& bytes) {
      return sys::replace_file(temporary / name, bytes, 0644, sys::Durability::Unsynced);
    };
    PYBOX_TRY(put("meta.json", meta_to_json(recording.meta)));
    PYBOX_TRY(put("plan.json", recording.evidence.plan));
    PYBOX_TRY(put("events.jsonl", recording.evidence.events));
    PYBOX_TRY(put("expect.json", recording.expect));
    for (const auto& [name, bytes] : recording.evidence.blobs) {
      fs::create_directories(temporary / "raw" / name.substr(0, 2), problem);
      PYBOX_TRY(put(fs::path("raw") / name.substr(0, 2) / name.substr(2), bytes));
    }
    fs::rename(temporary, target, problem);
    if (problem)
      return Error::from_errno(problem.value(), "putting " + target.string() + " into place");
    return {};
  };
  auto done = fill();
  if (!done) {
    // What could not be finished must not be left; the first error is the one to tell.
    (void)sys::remove_tree(temporary);
  }
  return done;
}

}  // namespace pybox::replay
