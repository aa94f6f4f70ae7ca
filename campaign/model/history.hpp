#pragma once
/// How a campaign takes its predecessor along, so that its report can say what changed without
/// looking outside its own folder, and comes out the same wherever it is made again.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "campaign/model/evidence.hpp"

namespace pybox::campaign {

/// What an earlier campaign found.
struct PastRun {
  std::string id, ended, verdict, manifest_sha256;
  std::map<std::string, Verdict> checks;  ///< by full id
};
/// DIR/history.json, oldest first. Strict, kind Evidence.
Result<std::vector<PastRun>> history_from_json(std::string_view json);

/// Copies PREVIOUS/campaign.json to DIR/previous.json and writes DIR/history.json: the verdicts of
/// the last 19 campaigns, from PREVIOUS/history.json and PREVIOUS itself. Returns the link that
/// belongs into `campaign-started` and campaign.json. Call it once when DIR is made. It does not
/// verify PREVIOUS (`campaign verify` does), but what it takes over must be readable.
Result<PreviousRun> take_over_previous(const std::filesystem::path& dir,
                                       const std::filesystem::path& previous);

}  // namespace pybox::campaign
