#include "boxd/transfer.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <string>

#include "box/cgroup_files.hpp"

namespace pybox::boxd {
namespace {

std::string inside(pid_t pid, const char* path) {
  return "/proc/" + std::to_string(pid) + "/root" + path;
}

sys::Fd open_output(pid_t pid) {
  return sys::Fd(
      ::open(inside(pid, "/tmp/output").c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// The control arms' ways; the released build leaves nothing out and these with it.
int look_through(int folder, const char* name, struct stat* info) {
  return ::fstatat(folder, name, info, 0);
}
int open_through(int folder, const char* name, int flags) {
  return ::openat(folder, name, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/// Under a single id the program owns /tmp as it owns everything; it then only loses its own files
/// by putting another folder there.
std::string wanted(const box::IdMap& ids) {
  return ids.two_ids ? "held, in a sticky /tmp, both the keeper's" : "held";
}

std::string describe(const files::CollectLimits& limits) {
  return std::to_string(limits.files) + " files, " + std::to_string(limits.bytes.count) + " bytes";
}

/// Whether `folder` is the box's own /tmp/output, which the program cannot put another in place of.
std::string held(const box::Box& box, int folder) {
  struct stat ours {};
  struct stat theirs {};
  struct stat above {};
  struct statfs system {};
  if (folder < 0 || ::fstat(folder, &ours) != 0 || ::fstatfs(folder, &system) != 0)
    return "not held";
  const pid_t pid = box.program_pid();
  if (::lstat(inside(pid, "/tmp/output").c_str(), &theirs) != 0 ||
      ::lstat(inside(pid, "/tmp").c_str(), &above) != 0) {
    return "unreadable";
  }
  if (ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino ||
      system.f_type != TMPFS_MAGIC) {
    return "another folder";
  }
  if (!box.plan().ids.two_ids) return "held";
  const bool fixed = (above.st_mode & S_ISVTX) != 0 &&
                     above.st_uid == box.plan().ids.keeper_outside &&
                     ours.st_uid == box.plan().ids.keeper_outside;
  return fixed ? wanted(box.plan().ids) : "held, but the program's to replace";
}

/// What the way used for opening does with the way out.
std::string way_out(int folder, const files::Reach& reach) {
  const sys::Fd above(reach.open(folder, "..", O_RDONLY | O_DIRECTORY));
  if (above.is_open()) return "reached";
  return errno == EXDEV ? "refused" : "not tried";
}

}  // namespace

Transfer::Transfer(const box::Box& box) : reach_(files::kConfined) {
  const box::Cuts& cuts = box.plan().cuts;
  if (cuts.left_out("sup.filecap"))
    limits_ = {4096, Bytes{16U << 20U}, Bytes{1U << 20U}, limits_.listed};
  if (cuts.left_out("sup.escape")) reach_ = {look_through, open_through};
  if (!cuts.left_out("sup.collect")) folder_ = open_output(box.program_pid());
}

std::vector<SealCheck> Transfer::checks(const box::Box& box) const {
  // Without a held folder (sup.collect left out) the way out is tried from the box's own.
  const sys::Fd other = folder_.is_open() ? sys::Fd() : open_output(box.program_pid());
  const int folder = folder_.is_open() ? folder_.get() : other.get();
  return {box::compare("sup.filecap", describe(files::CollectLimits{}), describe(limits_),
                       std::string(kByConstruction) + ": the collector's own limits"),
          box::compare("sup.collect", wanted(box.plan().ids), held(box, folder_.get()),
                       "fstat of boxd's descriptor, /proc/PID/root/tmp"),
          box::compare("sup.escape", "refused", way_out(folder, reach_),
                       "the collector's own open of `..` in /tmp/output")};
}

void Transfer::before_end(const box::Box& box) {
  if (!box.plan().cuts.left_out("sup.collect")) return;
  const sys::Fd folder = open_output(box.keeper_pid());
  if (folder.is_open()) collected_alive_ = files::collect(folder.get(), limits_, reach_);
}

Files Transfer::collect() const {
  if (collected_alive_) return *collected_alive_;
  Files none;
  none.status = Files::Status::NotReceived;
  return folder_.is_open() ? files::collect(folder_.get(), limits_, reach_) : none;
}

}  // namespace pybox::boxd
