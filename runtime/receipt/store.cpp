#include "receipt/store.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/crashpoint.hpp"
#include "base/text.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace pybox {
namespace {

constexpr std::string_view kSuffix = ".json";

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

/// The id in a file's name, nullopt for anything that is no kept receipt (temporary files,
/// pending/).
std::optional<std::string> id_in(std::string_view name) {
  if (!name.ends_with(kSuffix)) return std::nullopt;
  name.remove_suffix(kSuffix.size());
  return is_receipt_id(name) ? std::optional<std::string>(name) : std::nullopt;
}

std::vector<std::string> ids_in(DIR* folder) {
  std::vector<std::string> ids;
  while (const dirent* entry = ::readdir(folder)) {
    if (auto id = id_in(entry->d_name)) ids.push_back(std::move(*id));
  }
  return ids;
}

std::vector<KeptReceipt> with_times(DIR* folder, const std::filesystem::path& path,
                                    std::vector<std::string> ids) {
  std::vector<KeptReceipt> kept;
  kept.reserve(ids.size());
  for (std::string& id : ids) {
    const std::string name = id + std::string(kSuffix);
    struct stat info {};
    if (::fstatat(::dirfd(folder), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(info.st_mode)) continue;
    const Nanos time = std::chrono::seconds(info.st_mtim.tv_sec) + Nanos(info.st_mtim.tv_nsec);
    kept.push_back({std::move(id), path / name, time});
  }
  std::sort(kept.begin(), kept.end(), [](const KeptReceipt& a, const KeptReceipt& b) {
    return a.kept_at != b.kept_at ? a.kept_at > b.kept_at : a.id < b.id;
  });
  return kept;
}

/// Counting names is cheap; times are looked up only when there are too many.
void prune(const sys::StateDirs& dirs) {
  const Folder folder(::opendir(dirs.receipts().c_str()));
  if (folder == nullptr) return;
  std::vector<std::string> ids = ids_in(folder.get());
  if (ids.size() < kKeptReceipts + kReceiptSlack) return;
  const auto kept = with_times(folder.get(), dirs.receipts(), std::move(ids));
  for (std::size_t i = kKeptReceipts; i < kept.size(); ++i) ::unlink(kept[i].file.c_str());
}

}  // namespace

bool is_receipt_id(std::string_view word) {
  return !word.empty() && word.size() <= 64 && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

Result<void> prepare_receipts(const sys::StateDirs& dirs) {
  PYBOX_TRY(sys::ensure_private_dir(dirs.receipts()));
  if (::access(dirs.receipts().c_str(), W_OK | X_OK) == 0) return {};
  return Error::from_errno(errno, "writing to " + dirs.receipts().string());
}

Result<void> keep_receipt(const sys::StateDirs& dirs, std::string_view id, std::string_view text) {
  const std::filesystem::path file = dirs.receipts() / (std::string(id) + std::string(kSuffix));
  PYBOX_TRY(sys::replace_file(file, text, 0600, sys::Durability::Unsynced));
  PYBOX_CRASHPOINT("receipt-written");
  prune(dirs);
  PYBOX_CRASHPOINT("receipts-pruned");
  return {};
}

std::vector<KeptReceipt> list_receipts(const sys::StateDirs& dirs) {
  const Folder folder(::opendir(dirs.receipts().c_str()));
  if (folder == nullptr) return {};
  auto kept = with_times(folder.get(), dirs.receipts(), ids_in(folder.get()));
  if (kept.size() > kKeptReceipts) kept.resize(kKeptReceipts);
  return kept;
}

Result<KeptReceipt> find_receipt(const sys::StateDirs& dirs, std::string_view prefix) {
  const std::string shown = "`" + visible(prefix) + "`";
  std::vector<KeptReceipt> fitting;
  if (is_receipt_id(prefix)) {
    for (KeptReceipt& kept : list_receipts(dirs)) {
      if (kept.id == prefix) return std::move(kept);
      if (kept.id.starts_with(prefix)) fitting.push_back(std::move(kept));
    }
  }
  if (fitting.size() == 1) return std::move(fitting.front());
  if (fitting.empty()) {
    return Error(ErrorKind::Usage, "no kept receipt's id starts with " + shown)
        .hint("`pybox receipts` lists them");
  }
  std::string some;
  for (std::size_t i = 0; i < fitting.size() && i < 3; ++i) some += " `" + fitting[i].id + "`";
  return Error(ErrorKind::Usage,
               std::to_string(fitting.size()) + " kept receipts' ids start with " + shown)
      .hint("give more of it:" + some + (fitting.size() > 3 ? " …" : ""));
}

}  // namespace pybox
