#include "campaign/cli/evidence_folder.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "campaign/model/event.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

namespace fs = std::filesystem;

/// "2026-11-30T01:30:46.123Z" as a folder's name: "20261130T013046Z".
std::string compact_time(const std::string& created) {
  std::string text;
  for (const char c : created.substr(0, 19)) {
    if (c != '-' && c != ':') text += c;
  }
  return text + "Z";
}

bool has_complete_end(const fs::path& folder) {
  const auto text = sys::read_file(folder / "events.jsonl", 256_MiB);
  if (!text) return true;  // nothing to go on with
  const auto events =
      read_events(std::string_view(text.value()).substr(0, text.value().rfind('\n') + 1));
  return events && !events.value().empty() && events.value().back().kind == EventKind::Ended &&
         events.value().back().complete;
}

}  // namespace

fs::path evidence_home(const sys::StateDirs& dirs) { return dirs.home / "evidence"; }

Result<fs::path> make_folder_for(const std::optional<std::string_view>& out, const fs::path& home,
                                 const std::string& id, const std::string& created,
                                 std::string hint) {
  std::error_code failed;
  const fs::path folder = out ? fs::absolute(fs::path(*out), failed)
                              : home / (compact_time(created) + "-" + id.substr(0, 8));
  if (fs::exists(folder, failed) && !fs::is_empty(folder, failed)) {
    return Error(ErrorKind::Refused, "`" + visible(folder.string()) + "` is not empty")
        .hint(std::move(hint));
  }
  PYBOX_TRY_CONTEXT(sys::ensure_private_dir(folder), "making " + folder.string());
  return folder;
}

Result<fs::path> make_evidence_folder(const std::optional<std::string_view>& out,
                                      const sys::StateDirs& dirs, const std::string& id,
                                      const std::string& created) {
  const fs::path folder =
      PYBOX_TRY(make_folder_for(out, evidence_home(dirs), id, created,
                                "choose a new folder, or continue an interrupted campaign with "
                                "`--resume`"));
  PYBOX_TRY(sys::ensure_private_dir(folder / "raw"));
  return folder;
}

Result<fs::path> folder_to_resume(const std::optional<std::string_view>& out,
                                  const sys::StateDirs& dirs) {
  std::error_code failed;
  if (out) return fs::absolute(fs::path(*out), failed);
  std::vector<fs::path> folders;
  for (fs::directory_iterator at(evidence_home(dirs), failed), end; at != end; at.increment(failed))
    folders.push_back(at->path());
  std::sort(folders.rbegin(), folders.rend());
  for (const fs::path& folder : folders) {
    if (!has_complete_end(folder) || !is_written(folder)) return folder;
  }
  return Error(ErrorKind::Usage, "there is no interrupted campaign to continue")
      .hint("`--out DIR` names one elsewhere");
}

bool is_written(const fs::path& folder) {
  std::error_code ignored;
  // The statements are the last to be written, and go before the manifest is written anew.
  if (!fs::exists(folder / "evidence.intoto.jsonl", ignored)) return false;
  const auto manifest = sys::read_file(folder / "manifest.sha256");
  const auto events = sys::read_file(folder / "events.jsonl", 256_MiB);
  return manifest && events && manifest->find(sha256_hex(*events)) != std::string::npos;
}

void sweep_temporaries(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> found;
  for (fs::recursive_directory_iterator at(folder, ignored), end; at != end;
       at.increment(ignored)) {
    if (at->path().filename().string().starts_with('.')) found.push_back(at->path());
  }
  for (const fs::path& file : found) fs::remove(file, ignored);
}

}  // namespace pybox::campaign
