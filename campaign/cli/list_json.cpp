#include "campaign/cli/list_json.hpp"

#include <nlohmann/json.hpp>

#include "receipt/canonical_json.hpp"

namespace pybox::campaign {

std::string list_json(const std::vector<Check>& checks) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Check& check : checks) {
    nlohmann::ordered_json arms = nlohmann::ordered_json::array();
    for (const Arm& arm : arms_of(check)) arms.push_back(arm.name);
    list.push_back({{"id", check.id},
                    {"engine", name_of(check.engine)},
                    {"area", check.area},
                    {"group", check.group},
                    {"claim", check.claim},
                    {"cut", check.cut},
                    {"arms", arms}});
  }
  return readable_json({{"schema_version", 1}, {"checks", list}});
}

}  // namespace pybox::campaign
