#pragma once
/// Where a campaign's evidence goes, and the chain of campaigns: $PYBOX_HOME/evidence/CHAIN.jsonl,
/// one line for each that started and one for each that finished.

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "campaign/model/evidence.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::campaign {

/// $PYBOX_HOME/evidence
std::filesystem::path evidence_home(const sys::StateDirs& dirs);

/// A new, empty folder: `out`, else evidence/<UTC>-<id8>. Error kind Refused: it is not empty.
Result<std::filesystem::path> make_evidence_folder(const std::optional<std::string_view>& out,
                                                   const sys::StateDirs& dirs,
                                                   const std::string& id,
                                                   const std::string& created);

/// The same for another kind of evidence: `out`, else HOME/<UTC>-<id8>. `hint`: what to do when the
/// folder is not empty.
Result<std::filesystem::path> make_folder_for(const std::optional<std::string_view>& out,
                                              const std::filesystem::path& home,
                                              const std::string& id, const std::string& created,
                                              std::string hint);

/// What `--resume` goes on with: `out`, else the newest folder below evidence/ whose journal has no
/// complete end, or whose reports are not all written. Error kind Usage: there is none.
Result<std::filesystem::path> folder_to_resume(const std::optional<std::string_view>& out,
                                               const sys::StateDirs& dirs);

/// Whether the reports are there and signed, of all that events.jsonl holds: not so when a campaign
/// was killed after its last arm.
bool is_written(const std::filesystem::path& folder);
/// Removes what a kill in the middle of writing left under a temporary name.
void sweep_temporaries(const std::filesystem::path& folder);

/// One line of CHAIN.jsonl: {"event": "started"|"finished", "id", "folder", "plan_sha256",
/// "manifest_sha256", "verdict", "seq", "prev"}; the last two follow from the line before.
struct ChainEntry {
  std::string event;
  std::string id;
  std::string folder;  ///< its name, not its path
  std::string plan_sha256;
  std::string manifest_sha256;  ///< empty while there is none
  std::string verdict;          ///< empty while there is none
};
/// Appends under a lock, on the disk when it returns.
Result<void> append_to_chain(const sys::StateDirs& dirs, const ChainEntry& entry);
/// The folder of the last campaign of the chain that finished and still stands there.
std::optional<std::filesystem::path> last_finished(const sys::StateDirs& dirs);

}  // namespace pybox::campaign
