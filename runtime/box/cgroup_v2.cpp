#include "box/cgroup_makers.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "box/cgroup_files.hpp"

namespace pybox::box {
namespace {

constexpr std::uint32_t kPeriodMicros = 100'000;

std::string quota(const Limits& limits) {
  return std::to_string(limits.cpu.count * (kPeriodMicros / 1000)) + " " +
         std::to_string(kPeriodMicros);
}

/// One folder; the keeper stays in boxd's own group, a sibling of this one.
class CgroupV2 final : public BoxCgroup {
 public:
  explicit CgroupV2(CgroupFolder folder) : folder_(std::move(folder)) {}

  Result<void> limit(const Limits& limits, const Cuts& cuts) {
    if (!cuts.left_out("cg.mem"))
      PYBOX_TRY(folder_.write("memory.max", std::to_string(limits.memory.count)));
    // The file is absent where the kernel has no swap accounting; then the read-back decides.
    if (!cuts.left_out("cg.swap") && folder_.read("memory.swap.max"))
      PYBOX_TRY(folder_.write("memory.swap.max", "0"));
    if (!cuts.left_out("cg.pids"))
      PYBOX_TRY(folder_.write("pids.max", std::to_string(limits.pids)));
    if (!cuts.left_out("cg.cpu")) PYBOX_TRY(folder_.write("cpu.max", quota(limits)));
    memory_ = PYBOX_TRY(folder_.open("memory.current", O_RDONLY));
    pids_ = PYBOX_TRY(folder_.open("pids.current", O_RDONLY));
    cpu_ = PYBOX_TRY(folder_.open("cpu.stat", O_RDONLY));
    return {};
  }

  int into_fd() const override { return folder_.fd(); }
  std::vector<int> task_fds() const override { return {}; }

  CgroupReading read_now() const override {
    CgroupReading now;
    now.memory_bytes = number_in(read_again(memory_));
    now.pids = number_in(read_again(pids_));
    if (const auto usage = keyed_number(read_again(cpu_), "usage_usec"))
      now.cpu_s = static_cast<double>(*usage) / 1e6;
    return now;
  }

  void read_final(KernelReadings& into) const override {
    into.source = "cgroup v2";
    into.memory_peak_bytes = folder_.read_number("memory.peak");  // Linux 5.19
    into.memory_peak_final = into.memory_peak_bytes.has_value();
    into.oom_kills = oom_kills();
    into.pids_peak = folder_.read_number("pids.peak");
    into.pids_refusals = folder_.read_keyed("pids.events", "max");
    if (const auto usage = folder_.read_keyed("cpu.stat", "usage_usec"))
      into.cpu_usage_s = static_cast<double>(*usage) / 1e6;
    if (const auto held = folder_.read_keyed("cpu.stat", "throttled_usec"))
      into.cpu_throttled_s = static_cast<double>(*held) / 1e6;
  }

  std::optional<std::uint64_t> oom_kills() const override {
    return folder_.read_keyed("memory.events", "oom_kill");
  }

  void kill_all() const override {
    // Linux 5.14. An older kernel lacks the file; the pid namespace's end kills the same processes.
    (void)folder_.write("cgroup.kill", "1").has_value();
  }

  Result<void> remove(Nanos patience) override {
    memory_.reset();
    pids_.reset();
    cpu_.reset();
    return folder_.remove(patience);
  }

  std::vector<SealCheck> checks(const Limits& limits) const override {
    std::string swap = first_line(folder_.read("memory.swap.max"));
    std::string swap_method = "memory.swap.max";
    if (swap == "unreadable" && swap_is_off()) {
      swap = "0";
      swap_method = "/proc/swaps is empty; no swap accounting";
    }
    const bool kill = ::faccessat(folder_.fd(), "cgroup.kill", W_OK, AT_EACCESS) == 0;
    return {compare("cg.mem", std::to_string(limits.memory.count),
                    first_line(folder_.read("memory.max")), "memory.max"),
            compare("cg.swap", "0", swap, swap_method),
            compare("cg.pids", std::to_string(limits.pids), first_line(folder_.read("pids.max")),
                    "pids.max"),
            compare("cg.cpu", quota(limits), first_line(folder_.read("cpu.max")), "cpu.max"),
            compare("cg.kill", "present", kill ? "present" : "absent", "cgroup.kill")};
  }

  std::string expected_membership() const override {
    return "/" + folder_.path().substr(folder_.path().rfind('/') + 1);
  }

 private:
  CgroupFolder folder_;
  sys::Fd memory_, pids_, cpu_;
};

}  // namespace

Result<std::unique_ptr<BoxCgroup>> make_cgroup_v2(const sys::CgroupHost& host,
                                                  const std::string& name, const Limits& limits,
                                                  const Cuts& cuts) {
  auto group =
      std::make_unique<CgroupV2>(PYBOX_TRY(CgroupFolder::make((host.base / name).string())));
  PYBOX_TRY(group->limit(limits, cuts));
  return std::unique_ptr<BoxCgroup>(std::move(group));
}

}  // namespace pybox::box
