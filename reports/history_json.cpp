#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "receipt/canonical_json.hpp"
#include "reports/history.hpp"
#include "sys/file.hpp"

namespace pybox::reports {
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

Result<std::vector<PastRun>> history_of(const fs::path& previous) {
  std::error_code ignored;
  if (!fs::exists(previous / "history.json", ignored)) return std::vector<PastRun>();
  const std::string text = PYBOX_TRY(sys::read_file(previous / "history.json", kLargest));
  return PYBOX_TRY_CONTEXT(read_history(text), (previous / "history.json").string());
}

}  // namespace

Result<Link> take_over_previous(const fs::path& dir, const fs::path& previous) {
  const std::string text = PYBOX_TRY(sys::read_file(previous / "campaign.json", kLargest));
  const Campaign campaign =
      PYBOX_TRY_CONTEXT(read_campaign(text), (previous / "campaign.json").string());
  const std::string manifest = PYBOX_TRY(sys::read_file(previous / "manifest.sha256", kLargest));
  std::vector<PastRun> runs = PYBOX_TRY(history_of(previous));
  PastRun latest{campaign.id, campaign.ended, campaign.verdict, sha256_hex(manifest), {}};
  for (const Check& check : campaign.checks) latest.checks[check.full_id()] = check.verdict;
  runs.push_back(latest);
  if (runs.size() > kRunsKept) runs.erase(runs.begin());
  json list = json::array();
  for (const PastRun& run : runs) list.push_back(run_json(run));
  const std::string history =
      PYBOX_TRY(canonical_json(json{{"schema_version", 1}, {"runs", std::move(list)}}));
  PYBOX_TRY(sys::replace_file(dir / "previous.json", text, 0644));
  PYBOX_TRY(sys::replace_file(dir / "history.json", history + "\n", 0644));
  return Link{campaign.id, latest.manifest_sha256};
}

}  // namespace pybox::reports
