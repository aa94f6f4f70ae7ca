#pragma once
/// Makes a recording from an evidence folder: keeps what a replay needs and nothing that tells of
/// the machine. Allow-list based (keys of events, facts of the environment, text_rules.hpp),
/// deterministic and idempotent. Pure: files in, files out.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "replay/clean/text_rules.hpp"

namespace pybox::replay {

/// The three things a campaign is judged from.
struct Evidence {
  std::string plan;                          ///< plan.json
  std::string events;                        ///< events.jsonl
  std::map<std::string, std::string> blobs;  ///< by SHA-256
};

/// Reads DIR/plan.json, DIR/events.jsonl and the blobs that the events refer to. Errors of kind
/// Evidence: a blob is missing or is not what its name says.
Result<Evidence> read_evidence(const std::filesystem::path& dir);

struct Cleaned {
  Evidence evidence;
  Counts counts;  ///< rule to how often it took something
};

/// `Rules::Off` copies texts as they are: only tests do that, to see that what was planted is
/// found.
enum class Rules { On, Off };

/// `names`: host and user names to remove (text_rules.hpp). Events are chained anew, since every
/// line names the one before. Errors of kind Evidence: a line that is no event.
Result<Cleaned> clean(const Evidence& source, const std::vector<std::string>& names,
                      Rules rules = Rules::On);

/// SHA-256 over every rule: keys, facts and texts.
std::string rules_digest();

}  // namespace pybox::replay
