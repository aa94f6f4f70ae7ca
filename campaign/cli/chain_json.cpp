#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "base/digest.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "campaign/cli/evidence_folder.hpp"
#include "campaign/model/event.hpp"
#include "campaign/model/shared_json.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kChain = "CHAIN.jsonl";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) lines.push_back(take_line(text));
  return lines;
}

json or_null_if_empty(const std::string& text) { return text.empty() ? json() : json(text); }

}  // namespace

Result<void> append_to_chain(const sys::StateDirs& dirs, const ChainEntry& entry) {
  const fs::path folder = evidence_home(dirs);
  PYBOX_TRY(sys::ensure_private_dir(folder));
  const sys::Fd file =
      PYBOX_TRY(sys::open_path(folder / kChain, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW));
  if (::flock(file.get(), LOCK_EX) != 0) return Error::from_errno(errno, "locking CHAIN.jsonl");
  const std::string text = PYBOX_TRY(sys::read_to_end(file.get(), 64U << 20U));
  const auto lines = lines_of(text);
  const std::string line =
      PYBOX_TRY(as_line({{"seq", lines.size()},
                         {"prev", lines.empty() ? no_line_before() : sha256_hex(lines.back())},
                         {"event", entry.event},
                         {"id", entry.id},
                         {"folder", entry.folder},
                         {"plan_sha256", entry.plan_sha256},
                         {"manifest_sha256", or_null_if_empty(entry.manifest_sha256)},
                         {"verdict", or_null_if_empty(entry.verdict)}}));
  // A torn line of a campaign that was killed while it wrote must not swallow ours.
  const std::string lead = text.empty() || text.back() == '\n' ? "" : "\n";
  PYBOX_TRY_CONTEXT(sys::write_all(file.get(), lead + line), "writing CHAIN.jsonl");
  if (::fsync(file.get()) != 0) return Error::from_errno(errno, "syncing CHAIN.jsonl");
  return {};
}

std::optional<fs::path> last_finished(const sys::StateDirs& dirs) {
  const auto text = sys::read_file(evidence_home(dirs) / kChain, 64_MiB);
  if (!text) return std::nullopt;
  const auto lines = lines_of(text.value());
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const auto entry = parse_json(*line);
    if (!entry || !entry.value().is_object()) continue;
    if (entry.value().value("event", "") != "finished") continue;
    const std::string name = entry.value().value("folder", "");
    const fs::path folder = evidence_home(dirs) / name;
    std::error_code absent;
    if (is_plain_word(name) && fs::exists(folder / "manifest.sha256", absent)) return folder;
  }
  return std::nullopt;
}

}  // namespace pybox::campaign
