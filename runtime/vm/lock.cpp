#include "vm/lock.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.hpp"
#include "sys/file.hpp"
#include "sys/syscalls.hpp"

namespace pybox::vm {
namespace {

namespace fs = std::filesystem;

fs::path life_path(const sys::StateDirs& dirs) { return dirs.vm() / "running.lock"; }

struct flock whole_file() {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  return range;
}

}  // namespace

fs::path socket_path(const sys::StateDirs& dirs) { return dirs.run / "vm.sock"; }
fs::path pid_path(const sys::StateDirs& dirs) { return dirs.run / "vm.pid"; }
fs::path console_path(const sys::StateDirs& dirs) { return dirs.vm() / "console.log"; }
fs::path supervisor_log_path(const sys::StateDirs& dirs) { return dirs.vm() / "supervisor.log"; }

Result<std::optional<sys::Fd>> take_life_lock(const sys::StateDirs& dirs) {
  PYBOX_TRY(sys::ensure_private_dir(dirs.vm()));
  sys::Fd fd = PYBOX_TRY(sys::open_path(life_path(dirs), O_RDWR | O_CREAT | O_NOFOLLOW, 0600));
  struct flock range = whole_file();
  if (::fcntl(fd.get(), F_SETLK, &range) == 0) return std::optional(std::move(fd));
  if (errno == EACCES || errno == EAGAIN) return std::optional<sys::Fd>{};
  return Error::from_errno(errno, "locking " + life_path(dirs).string());
}

Result<std::optional<pid_t>> life_lock_owner(const sys::StateDirs& dirs) {
  auto fd = sys::open_path(life_path(dirs), O_RDWR | O_NOFOLLOW);
  if (!fd && fd.error().errno_code() == ENOENT) return std::optional<pid_t>{};
  if (!fd) return std::move(fd).error();
  struct flock range = whole_file();
  if (::fcntl(fd->get(), F_GETLK, &range) != 0) {
    return Error::from_errno(errno, "asking who locks " + life_path(dirs).string());
  }
  return range.l_type == F_UNLCK ? std::optional<pid_t>{} : std::optional(range.l_pid);
}

Result<bool> wait_for_release(const sys::StateDirs& dirs, Nanos patience) {
  const Nanos deadline = monotonic_now() + patience;
  for (;;) {
    const std::optional<pid_t> owner = PYBOX_TRY(life_lock_owner(dirs));
    if (!owner) return true;
    const Nanos left = deadline - monotonic_now();
    if (left <= Nanos{0}) return false;
    const sys::Fd process(sys::pidfd_open(*owner));
    if (!process.is_open()) {
      // It went between the two questions; or it is in another pid namespace, where it cannot be
      // waited for, and waiting longer would not help.
      return !PYBOX_TRY(life_lock_owner(dirs)).has_value();
    }
    pollfd ended{process.get(), POLLIN, 0};
    ::poll(&ended, 1, static_cast<int>(std::chrono::ceil<Millis>(left).count()));
  }
}

Result<void> kill_life_lock_owner(const sys::StateDirs& dirs) {
  const std::optional<pid_t> owner = PYBOX_TRY(life_lock_owner(dirs));
  if (!owner) return {};
  const sys::Fd process(sys::pidfd_open(*owner));
  if (!process.is_open()) return {};
  // Had it died before pidfd_open, the pid could be somebody else's; the lock would be gone then.
  if (PYBOX_TRY(life_lock_owner(dirs)) != owner) return {};
  if (sys::pidfd_send_signal(process.get(), SIGKILL) != 0 && errno != ESRCH) {
    return Error::from_errno(errno, "killing the VM's supervisor");
  }
  return {};
}

Result<sys::Fd> take_start_lock(const sys::StateDirs& dirs, const std::function<void()>& waits) {
  PYBOX_TRY(sys::ensure_private_dir(dirs.vm()));
  const fs::path path = dirs.vm() / "start.lock";
  sys::Fd fd = PYBOX_TRY(sys::open_path(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  if (errno == EWOULDBLOCK) waits();
  while (::flock(fd.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return Error::from_errno(errno, "locking " + path.string());
  }
  return fd;
}

}  // namespace pybox::vm
