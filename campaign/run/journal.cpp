#include "campaign/run/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

constexpr Bytes kLargest = 256_MiB;

Result<void> sync(int fd, std::string_view doing) {
  if (::fsync(fd) != 0) return Error::from_errno(errno, doing);
  return {};
}

/// A name is on the disk once its folder is.
Result<void> sync_folder(const std::filesystem::path& folder) {
  const sys::Fd fd = PYBOX_TRY(sys::open_path(folder, O_RDONLY | O_DIRECTORY));
  return sync(fd.get(), "syncing " + folder.string());
}

}  // namespace

Result<Journal> Journal::create(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "events.jsonl";
  auto fd = sys::open_path(file, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW);
  if (!fd && fd.error().errno_code() == EEXIST) {
    return Error(ErrorKind::Refused, "`" + folder.string() + "` holds a campaign already")
        .hint("`--resume` goes on with it; `--out` names another folder");
  }
  if (!fd) return std::move(fd).error();
  PYBOX_TRY(sync_folder(folder));
  Journal journal(std::move(fd).value());
  journal.last_ = no_line_before();
  journal.origin_ = monotonic_now();
  return journal;
}

Result<Journal> Journal::resume(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "events.jsonl";
  Journal journal(PYBOX_TRY(sys::open_path(path, O_RDWR | O_APPEND | O_NOFOLLOW)));
  const std::string text = PYBOX_TRY(sys::read_file(path, kLargest));
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  journal.torn_bytes_ = text.size() - whole;
  journal.before_ = PYBOX_TRY(read_events(std::string_view(text).substr(0, whole)));
  if (journal.before_.empty()) {
    return Error(ErrorKind::Refused, "the campaign in `" + folder.string() + "` never began")
        .hint("remove the folder and run it anew");
  }
  journal.whole_ = whole;
  const std::string_view lines = std::string_view(text).substr(0, whole - 1);
  const std::size_t last = lines.rfind('\n');
  journal.last_ = sha256_hex(last == std::string_view::npos ? lines : lines.substr(last + 1));
  journal.next_ = journal.before_.size();
  journal.origin_ = monotonic_now() - journal.before_.back().at;
  return journal;
}

Result<void> Journal::append(Event event) {
  event.seq = next_;
  event.prev = last_;
  event.at = monotonic_now() - origin_;
  event.utc = rfc3339(wall_now());
  const std::string line = PYBOX_TRY(event_to_json(event));
  PYBOX_TRY(cut_torn_line());
  PYBOX_TRY_CONTEXT(sys::write_all(file_.get(), line + "\n"), "writing events.jsonl");
  PYBOX_TRY(sync(file_.get(), "syncing events.jsonl"));
  last_ = sha256_hex(line);
  ++next_;
  return {};
}

/// Only now: who is killed between reading and telling of it leaves it for the next to tell.
Result<void> Journal::cut_torn_line() {
  if (!whole_) return {};
  if (torn_bytes_ > 0 && ::ftruncate(file_.get(), static_cast<off_t>(*whole_)) != 0)
    return Error::from_errno(errno, "cutting a torn line off events.jsonl");
  whole_.reset();
  return {};
}

}  // namespace pybox::campaign
