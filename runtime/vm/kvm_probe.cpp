/// Theory of operation: a machine of five pages and one processor, made and run in this very
/// process with KVM's own calls (Linux: Documentation/virt/kvm/api.rst). The guest gets the state
/// of a 64-bit kernel, runs a few instructions and writes to a port, which ends KVM_RUN. A KVM that
/// never comes back is interrupted by a signal that this thread blocks everywhere else
/// (KVM_SET_SIGNAL_MASK), so that no handler is needed.

#include <fcntl.h>
#include <linux/kvm.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/clock.hpp"
#include "sys/fd.hpp"
#include "vm/kvm.hpp"

namespace pybox::vm {
namespace {

std::string failed(const char* doing) { return Error::from_errno(errno, doing).message(); }

std::optional<std::string> open_kvm(sys::Fd& kvm, sys::Fd& machine) {
  kvm = sys::Fd(::open("/dev/kvm", O_RDWR | O_CLOEXEC));
  if (!kvm.is_open()) {
    if (errno == ENOENT) return "this host has no /dev/kvm";
    if (errno == EACCES) return "you may not open /dev/kvm (join the group that owns it)";
    return failed("opening /dev/kvm");
  }
  if (::ioctl(kvm.get(), KVM_GET_API_VERSION, 0) != KVM_API_VERSION)
    return "/dev/kvm speaks another version";
  machine = sys::Fd(::ioctl(kvm.get(), KVM_CREATE_VM, 0));
  if (!machine.is_open()) return failed("making a KVM machine");
  return std::nullopt;
}

}  // namespace

#if defined(__x86_64__)
namespace {

// The guest's memory: three levels of page tables, which map its first 2 MiB onto themselves, and
// the code.
constexpr std::uint64_t kTables = 0x1000;
constexpr std::uint64_t kCode = 0x4000;
constexpr std::size_t kMemory = 0x5000;
constexpr std::uint64_t kPresentAndWritable = 3;
constexpr std::uint64_t kLargePage = 0x80;
constexpr std::uint32_t kMostCpuids = 256;
// Some of the kernel's headers give structures with an open array another size in C++ than in C,
// and with it the calls that take them other numbers.
constexpr unsigned long kGetSupportedCpuid = _IOWR(KVMIO, 0x05, std::uint64_t);
constexpr unsigned long kSetCpuid2 = _IOW(KVMIO, 0x90, std::uint64_t);
constexpr unsigned long kSetSignalMask = _IOW(KVMIO, 0x8b, std::uint32_t);

class Mapping {
 public:
  Mapping(std::size_t size, int fd)
      : start_(::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, fd, 0)),
        size_(size) {}
  ~Mapping() {
    if (is_there()) ::munmap(start_, size_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  bool is_there() const { return start_ != MAP_FAILED; }
  std::uint8_t* bytes() const { return static_cast<std::uint8_t*>(start_); }

 private:
  void* start_;
  std::size_t size_;
};

/// Interrupts KVM_RUN in this thread, and nothing else, when `patience` is over.
class Alarm {
 public:
  explicit Alarm(Nanos patience) {
    sigemptyset(&only_);
    sigaddset(&only_, SIGALRM);
    ::pthread_sigmask(SIG_BLOCK, &only_, &before_);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGALRM;
    event._sigev_un._tid = static_cast<pid_t>(::syscall(SYS_gettid));
    is_set_ = ::timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
    const itimerspec once{{}, to_timespec(patience)};
    if (is_set_) ::timer_settime(timer_, 0, &once, nullptr);
  }
  ~Alarm() {
    if (is_set_) ::timer_delete(timer_);
    const timespec at_once{};
    while (::sigtimedwait(&only_, nullptr, &at_once) > 0) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  /// KVM_RUN on `cpu` then lets the signal through.
  bool watch(const sys::Fd& cpu) const {
    sigset_t through = before_;
    sigdelset(&through, SIGALRM);
    // kvm_signal_mask: the kernel's size of a set, and the set.
    std::array<std::uint32_t, 3> mask = {8};
    std::memcpy(&mask[1], &through, 8);
    return is_set_ && ::ioctl(cpu.get(), kSetSignalMask, mask.data()) == 0;
  }

 private:
  sigset_t only_;
  sigset_t before_;
  timer_t timer_{};
  bool is_set_ = false;
};

/// All that the host can give: without it a guest may not switch SSE on.
bool give_features(const sys::Fd& kvm, const sys::Fd& cpu) {
  // kvm_cpuid2: a count, padding, and so many entries.
  std::vector<std::uint32_t> features(2 + kMostCpuids * sizeof(kvm_cpuid_entry2) / 4);
  features[0] = kMostCpuids;
  return ::ioctl(kvm.get(), kGetSupportedCpuid, features.data()) == 0 &&
         ::ioctl(cpu.get(), kSetCpuid2, features.data()) == 0;
}

/// The state of a 64-bit kernel (AMD64 manual 2, "Long Mode"): paging, flat segments, SSE.
bool enter_long_mode(const sys::Fd& cpu) {
  kvm_sregs state{};
  if (::ioctl(cpu.get(), KVM_GET_SREGS, &state) != 0) return false;
  constexpr std::uint64_t kPagingAndProtection = 0x80050033;
  constexpr std::uint64_t kPaeAndSse = 0x620;
  constexpr std::uint64_t kLongMode = 0x500;
  state.cr0 = kPagingAndProtection;
  state.cr3 = kTables;
  state.cr4 = kPaeAndSse;
  state.efer = kLongMode;
  kvm_segment segment{};
  segment.limit = 0xffffffff;
  segment.present = segment.s = segment.g = 1;
  segment.selector = 8;
  segment.type = 11;  // code
  segment.l = 1;
  state.cs = segment;
  segment.selector = 16;
  segment.type = 3;  // data
  segment.l = 0;
  segment.db = 1;
  state.ds = state.es = state.fs = state.gs = state.ss = segment;
  kvm_regs registers{};
  registers.rip = kCode;
  registers.rflags = 2;
  return ::ioctl(cpu.get(), KVM_SET_SREGS, &state) == 0 &&
         ::ioctl(cpu.get(), KVM_SET_REGS, &registers) == 0;
}

void fill(const Mapping& memory, std::span<const std::uint8_t> code) {
  const auto entry = [&memory](std::uint64_t at, std::uint64_t value) {
    std::memcpy(memory.bytes() + at, &value, sizeof value);
  };
  entry(kTables, (kTables + 0x1000) | kPresentAndWritable);
  entry(kTables + 0x1000, (kTables + 0x2000) | kPresentAndWritable);
  entry(kTables + 0x2000, kLargePage | kPresentAndWritable);
  std::copy(code.begin(), code.end(), memory.bytes() + kCode);
}

bool place_memory(const sys::Fd& machine, const Mapping& memory) {
  // Intel processors keep a page of their own there; the others refuse, which does not matter.
  (void)::ioctl(machine.get(), KVM_SET_TSS_ADDR, 0xfffbd000UL);
  const kvm_userspace_memory_region region{0, 0, 0, kMemory,
                                           reinterpret_cast<std::uintptr_t>(memory.bytes())};
  return ::ioctl(machine.get(), KVM_SET_USER_MEMORY_REGION, &region) == 0;
}

std::optional<std::string> judge(const kvm_run& ended) {
  constexpr std::uint16_t kPort = kKvmSign[3];
  const auto* said = reinterpret_cast<const std::uint8_t*>(&ended);
  if (ended.exit_reason == KVM_EXIT_IO && ended.io.port == kPort &&
      said[ended.io.data_offset] == kKvmSign[1]) {
    return std::nullopt;
  }
  if (ended.exit_reason == KVM_EXIT_INTERNAL_ERROR)
    return "KVM opens but stops a guest at an ordinary instruction (internal error " +
           std::to_string(ended.internal.suberror) + ")";
  return "KVM opens but does not run a guest (exit " + std::to_string(ended.exit_reason) + ")";
}

}  // namespace

std::optional<std::string> why_kvm_does_not_run(std::span<const std::uint8_t> code,
                                                Nanos patience) {
  sys::Fd kvm, machine;
  if (auto why = open_kvm(kvm, machine)) return why;
  const Mapping memory(kMemory, -1);
  if (!memory.is_there()) return failed("making a KVM machine's memory");
  fill(memory, code);
  if (!place_memory(machine, memory)) return failed("giving a KVM machine its memory");
  const sys::Fd cpu(::ioctl(machine.get(), KVM_CREATE_VCPU, 0));
  if (!cpu.is_open()) return failed("making a KVM processor");
  const int size = ::ioctl(kvm.get(), KVM_GET_VCPU_MMAP_SIZE, 0);
  const Mapping shared(size < 0 ? 0 : static_cast<std::size_t>(size), cpu.get());
  if (!shared.is_there()) return failed("reading a KVM processor");
  if (!give_features(kvm, cpu) || !enter_long_mode(cpu)) return failed("preparing a KVM processor");
  const Alarm alarm(patience);
  if (!alarm.watch(cpu)) return failed("watching a KVM processor");
  const Nanos deadline = monotonic_now() + patience;
  int ended = 0;
  // Some other signal may come first.
  while ((ended = ::ioctl(cpu.get(), KVM_RUN, 0)) != 0 && errno == EINTR) {
    if (monotonic_now() >= deadline) break;
  }
  if (ended == 0) return judge(*reinterpret_cast<const kvm_run*>(shared.bytes()));
  return errno == EINTR ? "KVM opens but its guest does not go on" : failed("running a KVM guest");
}

std::optional<std::string> why_no_kvm() {
  // `pxor xmm0, xmm0`: any guest does the like at once, and no KVM knows how to emulate it.
  constexpr std::uint8_t kCodeOfGuests[] = {0x66,        0x0f,        0xef,        0xc0,
                                            kKvmSign[0], kKvmSign[1], kKvmSign[2], kKvmSign[3]};
  constexpr Nanos kPatience = std::chrono::seconds(2);
  return why_kvm_does_not_run(kCodeOfGuests, kPatience);
}

#else  // what a guest does shows its start

std::optional<std::string> why_kvm_does_not_run(std::span<const std::uint8_t>, Nanos) {
  sys::Fd kvm, machine;
  return open_kvm(kvm, machine);
}

std::optional<std::string> why_no_kvm() { return why_kvm_does_not_run({}, {}); }

#endif

}  // namespace pybox::vm
