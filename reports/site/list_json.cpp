#include <nlohmann/json.hpp>

#include "reports/site/site.hpp"

namespace pybox::reports {

std::string site_json(const std::vector<Published>& campaigns) {
  const std::vector<ChainLink> links = chain_of(campaigns);
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t at = 0; at < campaigns.size(); ++at) {
    const Published& each = campaigns[at];
    list.push_back({{"id", each.campaign.id},
                    {"started", each.campaign.started},
                    {"verdict", each.campaign.verdict},
                    {"manifest_sha256", each.manifest_sha256},
                    {"key_id", each.key_id},
                    {"gap", is_gap(links[at].state)},
                    {"chain", links[at].words}});
  }
  return nlohmann::json{{"schema_version", 1}, {"campaigns", list}}.dump(2) + "\n";
}

}  // namespace pybox::reports
