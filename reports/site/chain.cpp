#include <algorithm>

#include "reports/site/site.hpp"

namespace pybox::reports {
namespace {

std::string state_words(const Published& each, const std::vector<Published>& all,
                        ChainState state) {
  const std::string named = each.campaign.previous ? each.campaign.previous->id : std::string();
  switch (state) {
    case ChainState::First: return "the first";
    case ChainState::Linked: return "follows " + named;
    case ChainState::Missing: return "gap: it follows " + named + ", which is not here";
    case ChainState::Altered:
      return "gap: it follows " + named + ", but not as that is published here";
    case ChainState::Unlinked:
      return "gap: it names no campaign before it, though " + all.front().campaign.id + " is older";
    case ChainState::Forked: return "gap: another campaign follows " + named + " too";
  }
  return {};
}

ChainState state_of(std::size_t at, const std::vector<Published>& all) {
  const auto& previous = all[at].campaign.previous;
  if (!previous) return at == 0 ? ChainState::First : ChainState::Unlinked;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Published& other) {
    return other.campaign.id == previous->id;
  });
  if (found == all.end()) return ChainState::Missing;
  if (found->manifest_sha256 != previous->manifest_sha256) return ChainState::Altered;
  const auto followers = std::count_if(all.begin(), all.end(), [&](const Published& other) {
    return other.campaign.previous && other.campaign.previous->id == previous->id;
  });
  return followers > 1 ? ChainState::Forked : ChainState::Linked;
}

}  // namespace

bool is_gap(ChainState state) { return state != ChainState::First && state != ChainState::Linked; }

void sort_chain(std::vector<Published>& campaigns) {
  std::sort(campaigns.begin(), campaigns.end(), [](const Published& a, const Published& b) {
    return std::tie(a.campaign.started, a.campaign.id) <
           std::tie(b.campaign.started, b.campaign.id);
  });
}

std::vector<ChainLink> chain_of(const std::vector<Published>& campaigns) {
  std::vector<ChainLink> links;
  for (std::size_t at = 0; at < campaigns.size(); ++at) {
    const ChainState state = state_of(at, campaigns);
    links.push_back({state, state_words(campaigns[at], campaigns, state)});
  }
  return links;
}

}  // namespace pybox::reports
