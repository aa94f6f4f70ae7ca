/// campaign-vm: the supervisor of a world's VM. Only the campaign starts it:
///   campaign-vm FOLDER BOXD PLANT CANARY    PYBOX_HOME: whose kernel and images are used
/// 3 is the pipe on which it tells how the start goes (vm/start.hpp), 4 a pipe whose end is the end
/// of the world: the VM is then ended and FOLDER removed. A VM that was stopped otherwise leaves
/// its saved state in FOLDER for the next start.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <thread>

#include "run/vm_config.hpp"
#include "sys/file.hpp"
#include "vm/kvm.hpp"
#include "vm/start.hpp"

namespace pybox::campaign {
namespace {

constexpr int kLife = 4;
constexpr Bytes kMemory = 1024_MiB;
constexpr std::uint32_t kCpus = 2;
constexpr Bytes kDisk = 256_MiB;

bool world_has_ended(int timeout) {
  pollfd life{kLife, 0, 0};
  return ::poll(&life, 1, timeout) > 0;
}

/// The supervisor ends by SIGTERM; a thread turns the end of the world into one.
void end_with_the_world() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  std::thread([] {
    while (!world_has_ended(-1)) {
    }
    ::kill(::getpid(), SIGTERM);
  }).detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// Room for swap, taken from the host only where the guest writes.
Result<std::filesystem::path> make_disk(const std::filesystem::path& folder) {
  const std::filesystem::path disk = folder / "disk";
  const sys::Fd fd = PYBOX_TRY(sys::open_path(disk, O_WRONLY | O_CREAT, 0600));
  if (::ftruncate(fd.get(), kDisk.count) != 0) return Error::from_errno(errno, "making a disk");
  return disk;
}

Result<void> supervise(char** argv) {
  vm::Config config = PYBOX_TRY(run::vm_config());
  const std::filesystem::path folder = argv[1];
  const sys::StateDirs users = config.dirs;
  config.dirs = {folder / "home", folder / "run", folder / "config.json"};
  config.boxd = argv[2];
  config.first = vm::FirstProcess{argv[3], argv[4], PYBOX_TRY(make_disk(folder))};
  config.memory = kMemory;
  config.cpus = kCpus;
  PYBOX_TRY(sys::ensure_private_dir(config.dirs.vm()));
  // That KVM does not work here is known once it was tried in the user's own home.
  std::error_code ignored;
  std::filesystem::copy_file(vm::KvmMemory(users.vm(), config.qemu).file(),
                             vm::KvmMemory(config.dirs.vm(), config.qemu).file(), ignored);
  return vm::supervise(config, vm::report_to_starter());
}

}  // namespace
}  // namespace pybox::campaign

int main(int argc, char** argv) {
  namespace campaign = pybox::campaign;
  namespace vm = pybox::vm;
  if (argc != 5 || !vm::has_starter()) {
    std::fputs("campaign-vm is started by campaign\n", stderr);
    return 2;
  }
  ::signal(SIGPIPE, SIG_IGN);
  ::fcntl(campaign::kLife, F_SETFD, FD_CLOEXEC);
  // Until the supervisor waits for it, the signal must not end us: FOLDER would stay.
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &term, nullptr);
  campaign::end_with_the_world();
  const pybox::Result<void> served = campaign::supervise(argv);
  if (!served) vm::report_failure(served.error());
  if (campaign::world_has_ended(0)) (void)pybox::sys::remove_tree(argv[1]).has_value();
  return served ? 0 : 1;
}
