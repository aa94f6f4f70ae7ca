#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "campaign/model/history.hpp"
#include "campaign/model/shared_json.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kRunsKept = 19;
constexpr Bytes kLargest = 256_MiB;

json run_json(const PastRun& run) {
  json checks = json::object();
  for (const auto& [id, verdict] : run.checks) checks[id] = name_of(verdict);
  return {{"id", run.id},
          {"ended", run.ended},
          {"verdict", run.verdict},
          {"manifest_sha256", run.manifest_sha256},
          {"checks", std::move(checks)}};
}

Result<PastRun> read_run(const json& value, const std::string& place) {
  JsonFields fields = PYBOX_TRY(JsonFields::of(value, place));
  PastRun run;
  run.id = PYBOX_TRY(word_of(fields, "id"));
  run.ended = PYBOX_TRY(fields.text("ended", 64));
  run.verdict = PYBOX_TRY(fields.text("verdict", 64));
  run.manifest_sha256 = PYBOX_TRY(digest_of(fields, "manifest_sha256"));
  JsonFields checks = PYBOX_TRY(fields.object("checks"));
  for (const auto& item : value.at("checks").items())
    run.checks[item.key()] = PYBOX_TRY(verdict_of(checks, item.key()));
  PYBOX_TRY(fields.finish());
  return run;
}

Result<std::vector<PastRun>> read_history(const json& root) {
  JsonFields fields = PYBOX_TRY(JsonFields::of(root, ""));
  PYBOX_TRY(fields.count("schema_version", 1));
  std::vector<PastRun> runs;
  for (const json* value : PYBOX_TRY(fields.list("runs", kRunsKept)))
    runs.push_back(PYBOX_TRY(read_run(*value, "runs[" + std::to_string(runs.size()) + "]")));
  PYBOX_TRY(fields.finish());
  return runs;
}

}  // namespace

Result<std::vector<PastRun>> history_from_json(std::string_view text) {
  const json root = PYBOX_TRY_CONTEXT(parse_json(text), "history.json");
  auto runs = read_history(root);
  if (!runs) return std::move(runs).error().as(ErrorKind::Evidence).context("history.json");
  return runs;
}

Result<PreviousRun> take_over_previous(const fs::path& dir, const fs::path& previous) {
  const std::string text = PYBOX_TRY(sys::read_file(previous / "campaign.json", kLargest));
  const Evidence before =
      PYBOX_TRY_CONTEXT(evidence_from_json(text), (previous / "campaign.json").string());
  const std::string manifest = PYBOX_TRY(sys::read_file(previous / "manifest.sha256", kLargest));
  std::vector<PastRun> runs;
  std::error_code ignored;
  if (fs::exists(previous / "history.json", ignored)) {
    const std::string history = PYBOX_TRY(sys::read_file(previous / "history.json", kLargest));
    runs = PYBOX_TRY_CONTEXT(history_from_json(history), previous.string());
  }
  PastRun latest{before.id, before.ended, before.verdict, sha256_hex(manifest), {}};
  for (const CheckResult& check : before.checks) latest.checks[full_id(check)] = check.verdict;
  runs.push_back(latest);
  if (runs.size() > kRunsKept) runs.erase(runs.begin());
  json list = json::array();
  for (const PastRun& run : runs) list.push_back(run_json(run));
  const std::string history = PYBOX_TRY(as_line({{"schema_version", 1}, {"runs", list}}));
  PYBOX_TRY(sys::replace_file(dir / "previous.json", text, 0644));
  PYBOX_TRY(sys::replace_file(dir / "history.json", history, 0644));
  return PreviousRun{before.id, latest.manifest_sha256};
}

}  // namespace pybox::campaign
