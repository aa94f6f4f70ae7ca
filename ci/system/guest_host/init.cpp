/// The first process of a VM in which the native engine is tested on cgroup v2, as root or as an
/// ordinary user with a delegated cgroup: the kernel's command line says which (PYBOX_PHASE).
///
/// Theory of operation: PID 1 makes the host (mounts.cpp), then forks one process. That process
/// enters its cgroup, takes its uid and becomes the tests' Python program, whose results go to the
/// virtio-serial port, one JSON line a test. PID 1 reaps everything, adds a line {"status": …} and
/// powers off. Silence is read as failure on the other side.

#include <fcntl.h>
#include <grp.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "guest_host/delegation.hpp"
#include "guest_host/mounts.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace guest_host {
namespace {

namespace fs = std::filesystem;
using pybox::Error;
using pybox::ErrorKind;
using pybox::Result;

struct Phase {
  uid_t uid;
  const char* user_home;
  fs::path cgroup;
};

void complain(const Error& error) {
  std::fprintf(stderr, "guest_host: %s\n", error.message().c_str());
}

Result<pybox::sys::Fd> open_results() {
  std::error_code error;
  for (const fs::path& port : pybox::sys::entries_of("/sys/class/virtio-ports", error)) {
    const auto name = pybox::sys::read_file(port / "name");
    if (name && name->starts_with("org.pybox.test.results")) {
      return pybox::sys::open_path("/dev" / port.filename(), O_RDWR);
    }
  }
  return Error(ErrorKind::Io, "there is no virtio-serial port org.pybox.test.results");
}

Result<void> give_to(const fs::path& tree, uid_t uid) {
  std::error_code error;
  int failed = ::lchown(tree.c_str(), uid, uid);
  for (fs::recursive_directory_iterator at(tree, error), end; !error && at != end;
       at.increment(error)) {
    failed |= ::lchown(at->path().c_str(), uid, uid);
  }
  if (failed != 0 || error) return Error(ErrorKind::Io, "giving away " + tree.string());
  return {};
}

/// The image's erofs file is the disk itself. The native engine only compares its size with the
/// record, and never reads it.
Result<void> stand_in_for_erofs(const fs::path& file) {
  const std::string sectors = PYBOX_TRY(pybox::sys::read_file("/sys/block/vda/size"));
  const auto made = PYBOX_TRY(pybox::sys::open_path(file, O_WRONLY | O_CREAT, 0444));
  if (::ftruncate(made.get(), std::atoll(sectors.c_str()) * 512) != 0) {
    return Error::from_errno(errno, "sizing " + file.string());
  }
  return {};
}

/// A PYBOX_HOME whose stdlib image is the very disk this host was started from.
Result<fs::path> make_pybox_home(const Phase& phase) {
  const fs::path home = fs::path(phase.user_home) / "pybox-home";
  std::error_code error;
  fs::copy("/payload/home", home, fs::copy_options::recursive, error);
  if (error) return Error(ErrorKind::Io, "copying PYBOX_HOME: " + error.message());
  PYBOX_TRY(stand_in_for_erofs(home / "images/stdlib/image.erofs"));
  PYBOX_TRY(give_to(phase.user_home, phase.uid));
  const fs::path rootfs = home / "images/stdlib/rootfs";
  ::mkdir(rootfs.c_str(), 0755);
  if (::mount(kImage, rootfs.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) {
    return Error::from_errno(errno, "binding the image as rootfs");
  }
  return home;
}

Result<void> take_identity(const Phase& phase) {
  PYBOX_TRY(pybox::sys::write_pseudo_file(phase.cgroup / "cgroup.procs", "0"));
  if (phase.uid == 0) return {};
  if (::setgroups(0, nullptr) != 0 || ::setgid(phase.uid) != 0 || ::setuid(phase.uid) != 0) {
    return Error::from_errno(errno, "becoming the user");
  }
  return {};
}

/// Becomes the tests of one phase; returns only when that failed.
Error become_tests(const Phase& phase, const fs::path& home, int results) {
  if (auto done = take_identity(phase); !done) return std::move(done).error();
  ::setsid();
  ::dup2(results, 1);
  const std::string home_word = home.string();
  const std::string home_variable = "HOME=" + std::string(phase.user_home);
  std::array<const char*, 10> words = {"/usr/bin/python3",
                                       "/payload/system/run",
                                       "--pybox",
                                       "/payload/bin/pybox",
                                       "--home",
                                       home_word.c_str(),
                                       "--all",
                                       "native",
                                       "--guest",
                                       nullptr};
  std::array<const char*, 4> environment = {"PATH=/usr/bin:/usr/sbin", home_variable.c_str(),
                                            "LANG=C.UTF-8", nullptr};
  ::execve(words[0], const_cast<char* const*>(words.data()),
           const_cast<char* const*>(environment.data()));
  return Error::from_errno(errno, "starting the tests");
}

/// Reaps everything, as the first process must, until `child` ended.
int wait_for(pid_t child) {
  int status = 0;
  for (;;) {
    const pid_t ended = ::wait(&status);
    if (ended == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (ended < 0 && errno != EINTR) return -1;
  }
}

Result<void> run_phase(const Phase& phase, const pybox::sys::Fd& results) {
  const fs::path home = PYBOX_TRY(make_pybox_home(phase));
  const pid_t child = ::fork();
  if (child < 0) return Error::from_errno(errno, "fork");
  if (child == 0) {
    complain(become_tests(phase, home, results.get()));
    ::_exit(127);
  }
  const int status = wait_for(child);
  return pybox::sys::write_all(results.get(), "{\"status\": " + std::to_string(status) + "}\n");
}

Result<void> run_wanted() {
  PYBOX_TRY(become_host());
  const auto results = PYBOX_TRY(open_results());
  // The kernel hands on words of its command line that it does not know as the first process's
  // environment.
  const char* const phase = std::getenv("PYBOX_PHASE");
  const std::string_view wanted = phase == nullptr ? "" : phase;
  if (wanted == "root") return run_phase({0, "/root", PYBOX_TRY(make_service())}, results);
  if (wanted == "user") {
    return run_phase({kUser, "/home/user", PYBOX_TRY(make_delegated_scope())}, results);
  }
  return Error(ErrorKind::Usage, "PYBOX_PHASE must be root or user");
}

}  // namespace
}  // namespace guest_host

int main() {
  // The kernel gives the first process of an initramfs no descriptors unless /dev/console exists.
  ::mkdir("/dev", 0755);
  ::mount("devtmpfs", "/dev", "devtmpfs", 0, nullptr);
  for (int fd = ::open("/dev/console", O_RDWR); fd >= 0 && fd < 2;) fd = ::dup(fd);
  if (auto done = guest_host::run_wanted(); !done) guest_host::complain(done.error());
  ::sync();
  ::reboot(RB_POWER_OFF);
  return 1;
}
