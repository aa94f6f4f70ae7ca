#pragma once
/// Plan, events and blobs to campaign.json: what the whole campaign amounts to. Pure: the same
/// recording gives the same evidence wherever and whenever it is judged.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "campaign/model/evidence.hpp"
#include "campaign/oracle/history.hpp"

namespace pybox::campaign {

/// The texts of plan.json and events.jsonl. Error kind Evidence when they do not hold together.
Result<Evidence> judge(std::string_view plan_json, std::string_view events_jsonl,
                       const ReadBlob& read_blob);

/// The same of an evidence folder.
Result<Evidence> judge_folder(const std::filesystem::path& folder);

/// Whether a full id is one of a list in which `*` stands for any text.
bool is_listed(const std::vector<std::string>& patterns, const std::string& full_id);

}  // namespace pybox::campaign
