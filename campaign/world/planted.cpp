#include "campaign/world/planted.hpp"

#include <fcntl.h>
#include <linux/keyctl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/clock.hpp"
#include "sys/file.hpp"
#include "sys/syscalls.hpp"

namespace pybox::campaign {
namespace {

constexpr const char* kVictim = "folder/victim";
constexpr const char* kVictimText = "nobody touched this\n";
/// So often the queue can be read before it is empty.
constexpr int kQueued = 64;
/// The key goes by itself when nobody is left to remove it.
constexpr unsigned kKeySeconds = 3 * 3600;

std::string quoted(const std::string& value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\0' ? std::string("\\u0000") : std::string(1, c);
  }
  return out + "\"";
}

std::string host_name() {
  utsname names{};
  ::uname(&names);
  return names.nodename;
}

/// A key for System V objects out of the canary; never IPC_PRIVATE.
key_t ipc_key(const std::string& canary) {
  return static_cast<key_t>(std::strtoul(canary.substr(0, 7).c_str(), nullptr, 16) | 1U);
}

}  // namespace

void AskWorld::text(const char* name, const std::string& value) { members_[name] = quoted(value); }
void AskWorld::number(const char* name, long value) { members_[name] = std::to_string(value); }
void AskWorld::place(const char* name, const std::string& host_json, int port) {
  members_[name] = "[" + host_json + "," + std::to_string(port) + "]";
}

std::string AskWorld::json() const {
  std::string out = "{";
  for (const auto& [name, value] : members_)
    out += (out.size() > 1 ? ",\"" : "\"") + name + "\":" + value;
  return out + "}";
}

Planted::Planted(std::string canary, std::filesystem::path folder, std::filesystem::path seen_as)
    : canary_(std::move(canary)), folder_(std::move(folder)), seen_as_(std::move(seen_as)) {
  ask_.text("env", kOutsideVariable);
  ask_.number("fd", kLeakedFd);
}

Planted::~Planted() {
  if (shm_ >= 0) ::shmctl(shm_, IPC_RMID, nullptr);
  if (msg_ >= 0) ::msgctl(msg_, IPC_RMID, nullptr);
  if (key_ >= 0) ::syscall(SYS_keyctl, KEYCTL_UNLINK, key_, KEY_SPEC_USER_KEYRING);
}

Result<void> Planted::write_file(const char* name, const std::string& text, unsigned mode) {
  PYBOX_TRY(sys::replace_file(folder_ / name, text, mode, sys::Durability::Unsynced));
  if (::chmod((folder_ / name).c_str(), mode) != 0) return Error::from_errno(errno, name);
  return {};
}

Result<void> Planted::files() {
  PYBOX_TRY(write_file("file", text_of("file"), 0444));
  PYBOX_TRY(write_file(kLeakedFile, text_of("fd"), 0400));
  ask_.text("file", seen_as_ / "file");
  if (::geteuid() == 0) {
    PYBOX_TRY(write_file("file_root", text_of("file_root"), 0400));
    ask_.text("file_root", seen_as_ / "file_root");
  }
  if (::geteuid() == 0) {
    PYBOX_TRY(write_file("file_group", text_of("file_group"), 0640));
    if (::chown((folder_ / "file_group").c_str(), 0, kGroup) != 0)
      return Error::from_errno(errno, "giving a file to a group");
    ask_.text("file_group", seen_as_ / "file_group");
  }
  const std::filesystem::path folder = folder_ / "folder";
  if (::mkdir(folder.c_str(), 0700) != 0 || ::chmod(folder.c_str(), 01777) != 0)
    return Error::from_errno(errno, "making the open folder");
  PYBOX_TRY(write_file(kVictim, kVictimText, 0666));
  ask_.text("folder", seen_as_ / "folder");
  victim_watch_ = sys::Fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (::inotify_add_watch(victim_watch_.get(), folder.c_str(),
                          IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVE | IN_ATTRIB) < 0) {
    return Error::from_errno(errno, "watching the open folder");
  }
  return {};
}

void Planted::kernel_objects() {
  const key_t key = ipc_key(canary_);
  shm_ = ::shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0666);
  if (shm_ >= 0) {
    void* at = ::shmat(shm_, nullptr, 0);
    if (at != reinterpret_cast<void*>(-1)) {
      const std::string text = text_of("shm");
      std::memcpy(at, text.c_str(), text.size() + 1);
      ::shmdt(at);
      ask_.number("shm_key", key);
    }
  }
  msg_ = ::msgget(key, IPC_CREAT | IPC_EXCL | 0666);
  if (msg_ >= 0) {
    struct {
      long type = 1;
      char text[64] = {};
    } message;
    const std::string text = text_of("msg");
    std::memcpy(message.text, text.c_str(), std::min(text.size(), sizeof message.text));
    for (int i = 0; i < kQueued; ++i) ::msgsnd(msg_, &message, text.size(), IPC_NOWAIT);
    ask_.number("msg_key", key);
  }
  const std::string name = "pybox-outside-" + canary_.substr(0, 8);
  const std::string text = text_of("key");
  key_ =
      ::syscall(SYS_add_key, "user", name.c_str(), text.data(), text.size(), KEY_SPEC_USER_KEYRING);
  if (key_ < 0) return;
  constexpr unsigned kViewReadSearch = 0x0b0b0b0b;  // for possessor, owner, group, others
  ::syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key_, kKeySeconds);
  ::syscall(SYS_keyctl, KEYCTL_SETPERM, key_, kViewReadSearch | 0x3f000000U);
  ask_.text("key", name);
  ask_.number("key_id", key_);
}

Result<void> Planted::process(const std::filesystem::path& program) {
  const std::string text = text_of("process");
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return Error::from_errno(errno, "starting the planted process");
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::close_range(3, ~0U, 0);
    char* const none[] = {nullptr};
    char* const words[] = {const_cast<char*>("outside"), const_cast<char*>("process"),
                           const_cast<char*>(text.c_str()), nullptr};
    ::execve(program.c_str(), words, none);
    ::_exit(127);
  }
  process_fd_ = sys::Fd(sys::pidfd_open(pid));
  ask_.number("process", pid);
  return {};
}

void Planted::hostname() {
  hostname_ = host_name();
  ask_.text("hostname", hostname_);
  // Changes of it wake a poll (kernel: fs/proc/proc_sysctl.c, proc_sys_poll).
  hostname_watch_ = sys::Fd(::open("/proc/sys/kernel/hostname", O_RDONLY | O_CLOEXEC));
}

Result<void> Planted::terminal() {
  terminal_ = PYBOX_TRY(sys::open_path("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK));
  std::array<char, 64> name{};
  if (::unlockpt(terminal_.get()) != 0 ||
      ::ptsname_r(terminal_.get(), name.data(), name.size()) != 0) {
    return Error::from_errno(errno, "making a terminal");
  }
  const std::filesystem::path link = folder_ / kTerminalLink;
  if (::symlink(name.data(), link.c_str()) != 0) return Error::from_errno(errno, link.string());
  other_end_ = PYBOX_TRY(sys::open_path(name.data(), O_RDWR | O_NOCTTY));
  ask_.number("tty", kTerminalFd);
  return {};
}

void Planted::look_at_terminal(short events) {
  std::array<char, 4096> ignored;
  while (::read(terminal_.get(), ignored.data(), ignored.size()) > 0) {
  }
  if ((events & (POLLHUP | POLLERR)) == 0) return;
  // The end of a session hangs its terminal up; opened again it is as new.
  other_end_ = sys::Fd(::open((folder_ / kTerminalLink).c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
}

void Planted::look_at_victim() {
  std::array<char, 4096> events;
  while (::read(victim_watch_.get(), events.data(), events.size()) > 0) {
  }
  const Result<std::string> now = sys::read_file(folder_ / kVictim);
  if (now && *now == kVictimText) return;
  ++noticed_["victim"];
  if (!write_file(kVictim, kVictimText, 0666)) return;
  while (::read(victim_watch_.get(), events.data(), events.size()) > 0) {
  }
}

void Planted::look_at_hostname() {
  if (host_name() == hostname_) return;
  ++noticed_["hostname"];
  hostname_ = host_name();
}

void Planted::look_at_process() {
  ++noticed_["process"];
  process_fd_.reset();
}

void be_the_planted_process(const char* text) {
  // In memory of its own too, not only among the arguments.
  static char copy[64];
  std::strncpy(copy, text, sizeof(copy) - 1);
  asm volatile("" : : "r"(copy) : "memory");
  for (;;) ::pause();
}

bool raise_loopback() {
  const sys::Fd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  request.ifr_name[0] = 'l';
  request.ifr_name[1] = 'o';
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  return fd.is_open() && ::ioctl(fd.get(), SIOCSIFFLAGS, &request) == 0;
}

}  // namespace pybox::campaign
