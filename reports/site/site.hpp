#pragma once
/// `campaign publish`: a static site of campaigns, for any web server and for file://.
///   index.html     the chain of campaigns, newest first; gaps in it are pointed out
///   ID/            each evidence folder as it was signed
///   changes/ID.html   what changed since the campaign before
///   latest/        takes the reader to the newest report
///   badge.svg      feed.xml (Atom)      site.json

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "campaign/model/evidence.hpp"
#include "receipt/signature.hpp"

namespace pybox::reports {

using campaign::Evidence;

struct Published {
  Evidence campaign;
  std::string manifest_sha256;
  std::string key_id;
};

/// How a campaign stands to the one before it on the site.
enum class ChainState {
  First,     ///< the oldest, and names none before it
  Linked,    ///< names the one before it by its manifest
  Missing,   ///< names one that is not here
  Altered,   ///< names one that is here, by another manifest
  Unlinked,  ///< is not the oldest, and names none
  Forked,    ///< names one that another campaign names too
};
struct ChainLink {
  ChainState state = ChainState::First;
  std::string words;  ///< for people
};
bool is_gap(ChainState state);

/// Oldest first.
void sort_chain(std::vector<Published>& campaigns);
/// One for each, in the same order. Precondition: sorted.
std::vector<ChainLink> chain_of(const std::vector<Published>& campaigns);

// Pure, precondition of each: sorted, not empty.
std::string index_html(const std::vector<Published>& campaigns);
std::string feed_xml(const std::vector<Published>& campaigns);
std::string site_json(const std::vector<Published>& campaigns);
std::string badge_svg(const Evidence& latest);

struct SiteMade {
  std::vector<Published> campaigns;  ///< oldest first
  std::size_t gaps = 0;
};

/// Makes the site. Every folder is copied, and what was copied must verify (with `key`, or the key
/// beside it), else nothing is published. SITE appears whole, by one rename; one that was made by
/// this before is replaced in the same way, anything else that stands there is refused.
Result<SiteMade> publish(const std::vector<std::filesystem::path>& folders,
                         const std::filesystem::path& site, const std::optional<PublicKey>& key);

}  // namespace pybox::reports
