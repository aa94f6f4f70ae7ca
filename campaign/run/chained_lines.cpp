#include "campaign/run/chained_lines.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "campaign/model/event.hpp"

namespace pybox::campaign {
namespace {

Result<void> sync_fd(int fd, std::string_view doing) {
  if (::fsync(fd) != 0) return Error::from_errno(errno, doing);
  return {};
}

}  // namespace

Result<ChainedLines> ChainedLines::create(const std::filesystem::path& file) {
  sys::Fd fd = PYBOX_TRY(sys::open_path(file, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW));
  // A name is on the disk once its folder is.
  const sys::Fd folder = PYBOX_TRY(sys::open_path(file.parent_path(), O_RDONLY | O_DIRECTORY));
  PYBOX_TRY(sync_fd(folder.get(), "syncing " + file.parent_path().string()));
  return ChainedLines(std::move(fd), 0, no_line_before(), monotonic_now());
}

Result<void> ChainedLines::append(const std::function<Result<std::string>(const LineHead&)>& make,
                                  sys::Durability durability) {
  const LineHead head{next_, last_, monotonic_now() - origin_, rfc3339(wall_now())};
  const std::string line = PYBOX_TRY(make(head));
  PYBOX_TRY_CONTEXT(sys::write_all(file_.get(), line + "\n"), "writing events.jsonl");
  if (durability == sys::Durability::Synced) PYBOX_TRY(sync());
  last_ = sha256_hex(line);
  ++next_;
  return {};
}

Result<void> ChainedLines::sync() const { return sync_fd(file_.get(), "syncing events.jsonl"); }

Result<void> ChainedLines::cut_to(std::uint64_t bytes) const {
  if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0)
    return Error::from_errno(errno, "cutting a torn line off events.jsonl");
  return {};
}

}  // namespace pybox::campaign
