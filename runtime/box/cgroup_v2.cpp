#include "box/cgroup_makers.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "box/cgroup_files.hpp"

namespace pybox::box {
namespace {

constexpr std::uint32_t kMaxPeriodMicros = 100'000;

std::string quota(std::uint64_t millicores) {
  return std::to_string(millicores * (kMaxPeriodMicros / 1000)) + " " +
         std::to_string(kMaxPeriodMicros);
}

/// One folder; the keeper stays in boxd's own group, a sibling of this one.
class CgroupV2 final : public BoxCgroup {
 public:
  explicit CgroupV2(CgroupFolder folder) : folder_(std::move(folder)) {}

  Result<void> limit(const Limits& limits, const Cuts& cuts) {
    cuts_ = cuts;
    PYBOX_TRY(
        folder_.write("memory.max", std::to_string(guarded(cuts, "cg.mem", limits.memory.count))));
    // The file is absent where the kernel has no swap accounting; then the read-back decides.
    if (!cuts.left_out("cg.swap") && folder_.read("memory.swap.max"))
      PYBOX_TRY(folder_.write("memory.swap.max", "0"));
    PYBOX_TRY(folder_.write("pids.max", std::to_string(guarded(cuts, "cg.pids", limits.pids))));
    PYBOX_TRY(folder_.write("cpu.max", quota(guarded(cuts, "cg.cpu", limits.cpu.count))));
    // A control arm shows nothing where others leave it less than the limit.
    if (cuts.left_out("cg.cpu")) PYBOX_TRY(folder_.write("cpu.weight", "1000"));
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
    if (cuts_.left_out("cg.kill")) return;
    // Linux 5.14. An older kernel lacks the file; the pid namespace's end kills the same processes.
    (void)folder_.write("cgroup.kill", "1").has_value();
  }

  Result<void> remove(Nanos patience) override {
    memory_.reset();
    pids_.reset();
    cpu_.reset();
    Result<void> removed = folder_.remove(patience);
    if (removed || patience == Nanos{0} || !cuts_.left_out("cg.kill")) return removed;
    // What outlived a control arm is told, and does not outlive its report.
    (void)folder_.write("cgroup.kill", "1").has_value();
    (void)folder_.remove(patience).has_value();
    return removed;
  }

  std::vector<SealCheck> checks(const Limits& limits) const override {
    std::string swap = first_line(folder_.read("memory.swap.max"));
    std::string swap_method = "memory.swap.max";
    if (swap == "unreadable" && swap_is_off()) {
      swap = "0";
      swap_method = "/proc/swaps is empty; no swap accounting";
    }
    const bool kill = ::faccessat(folder_.fd(), "cgroup.kill", W_OK, AT_EACCESS) == 0;
    const char* used = cuts_.left_out("cg.kill") ? "present, not used" : "present";
    const auto check = [this](const char* name, std::string limit, const char* file) {
      return compare(name, std::move(limit),
                     with_guard(cuts_, name, first_line(folder_.read(file))), file);
    };
    return {check("cg.mem", std::to_string(limits.memory.count), "memory.max"),
            compare("cg.swap", "0", swap, swap_method),
            check("cg.pids", std::to_string(limits.pids), "pids.max"),
            check("cg.cpu", quota(limits.cpu.count), "cpu.max"),
            compare("cg.kill", "present", kill ? used : "absent", "cgroup.kill")};
  }

  std::string expected_membership() const override {
    return "/" + folder_.path().substr(folder_.path().rfind('/') + 1);
  }

 private:
  CgroupFolder folder_;
  Cuts cuts_;
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
