#include "boxd/guest_counters.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "box/process_view.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::boxd {
namespace {

namespace fs = std::filesystem;

/// PF_KTHREAD of the kernel's include/linux/sched.h, among the flags in field 9 of /proc/PID/stat.
bool is_kernel_thread(std::string_view stat) {
  constexpr std::uint64_t kKernelThread = 0x00200000;
  const std::string flags = box::stat_field(stat, 9);
  std::uint64_t value = 0;
  std::from_chars(flags.data(), flags.data() + flags.size(), value);
  return (value & kKernelThread) != 0;
}

/// Without the kernel's own threads, which come and go as it likes; zombies count.
std::uint64_t count_processes() {
  std::error_code error;
  std::uint64_t count = 0;
  for (const fs::path& entry : sys::entries_of("/proc", error)) {
    const std::string name = entry.filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto stat = sys::read_file(entry / "stat");
    if (stat && !is_kernel_thread(*stat)) ++count;
  }
  return count;
}

std::uint64_t count_cgroups() {
  std::error_code error;
  std::uint64_t count = 0;
  for (auto at = fs::recursive_directory_iterator("/sys/fs/cgroup", error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    if (at->is_directory(ignored)) ++count;
  }
  return count;
}

std::uint64_t count_mounts() {
  const auto mounts = sys::read_file("/proc/self/mountinfo");
  return mounts ? static_cast<std::uint64_t>(std::count(mounts->begin(), mounts->end(), '\n')) : 0;
}

std::uint64_t count_descriptors() {
  std::error_code error;
  return sys::entries_of("/proc/self/fd", error).size();
}

}  // namespace

std::uint64_t resident_kib(std::string_view status) {
  constexpr std::string_view kKey = "\nVmRSS:";
  const std::size_t at = status.find(kKey);
  if (at == std::string_view::npos) return 0;
  const std::size_t digits = status.find_first_of("0123456789", at + kKey.size());
  std::uint64_t kib = 0;
  if (digits != std::string_view::npos) {
    std::from_chars(status.data() + digits, status.data() + status.size(), kib);
  }
  return kib;
}

link::GuestCounters count_guest() {
  link::GuestCounters counters;
  counters.processes = count_processes();
  counters.cgroups = count_cgroups();
  counters.mounts = count_mounts();
  counters.boxd_fds = count_descriptors();
  if (const auto status = sys::read_file("/proc/self/status")) {
    counters.boxd_rss_kib = resident_kib(*status);
  }
  return counters;
}

}  // namespace pybox::boxd
