#include <fcntl.h>
#include <unistd.h>

#include "box/cgroup_files.hpp"
#include "box/cgroup_makers.hpp"

namespace pybox::box {
namespace {

constexpr std::uint32_t kPeriodMicros = 100'000;

/// One folder in each of the memory, pids, cpu and cpuacct hierarchies (the last two may be one).
class CgroupV1 final : public BoxCgroup {
 public:
  static Result<std::unique_ptr<CgroupV1>> make(const sys::CgroupHost& host,
                                                const std::string& name) {
    auto group = std::make_unique<CgroupV1>();
    group->name_ = name;
    group->memory_ = PYBOX_TRY(CgroupFolder::make((host.memory / name).string()));
    group->pids_ = PYBOX_TRY(CgroupFolder::make((host.pids / name).string()));
    group->cpu_ = PYBOX_TRY(CgroupFolder::make((host.cpu / name).string()));
    if (host.cpuacct != host.cpu)
      group->cpuacct_ = PYBOX_TRY(CgroupFolder::make((host.cpuacct / name).string()));
    group->swap_accounting_ = host.swap_accounting;
    return group;
  }

  Result<void> limit(const Limits& limits, const Cuts& cuts) {
    cuts_ = cuts;
    const std::string memory = std::to_string(memory_bound(limits));
    PYBOX_TRY(memory_.write("memory.limit_in_bytes", memory));
    if (!cuts.left_out("cg.swap")) PYBOX_TRY(limit_swap(memory));
    PYBOX_TRY(pids_.write("pids.max", std::to_string(guarded(cuts, "cg.pids", limits.pids))));
    PYBOX_TRY(cpu_.write("cpu.cfs_period_us", std::to_string(kPeriodMicros)));
    PYBOX_TRY(cpu_.write("cpu.cfs_quota_us", quota(guarded(cuts, "cg.cpu", limits.cpu.count))));
    // A control arm shows nothing where others leave it less than the limit.
    if (cuts.left_out("cg.cpu")) PYBOX_TRY(cpu_.write("cpu.shares", "10240"));
    for (const CgroupFolder* folder : {&memory_, &pids_, &cpu_, &cpuacct_}) {
      if (!folder->path().empty()) tasks_.push_back(PYBOX_TRY(folder->open("tasks", O_WRONLY)));
    }
    memory_now_ = PYBOX_TRY(memory_.open("memory.usage_in_bytes", O_RDONLY));
    pids_now_ = PYBOX_TRY(pids_.open("pids.current", O_RDONLY));
    cpu_now_ = PYBOX_TRY(accounting().open("cpuacct.usage", O_RDONLY));
    return {};
  }

  int into_fd() const override { return -1; }
  std::vector<int> task_fds() const override {
    std::vector<int> fds;
    for (const sys::Fd& fd : tasks_) fds.push_back(fd.get());
    return fds;
  }

  CgroupReading read_now() const override {
    CgroupReading now;
    now.memory_bytes = number_in(read_again(memory_now_));
    now.pids = number_in(read_again(pids_now_));
    if (const auto used = number_in(read_again(cpu_now_)))
      now.cpu_s = static_cast<double>(*used) / 1e9;
    return now;
  }

  void read_final(KernelReadings& into) const override {
    into.source = "cgroup v1";
    into.memory_peak_bytes = memory_.read_number("memory.max_usage_in_bytes");
    into.memory_peak_final = into.memory_peak_bytes.has_value();
    into.oom_kills = oom_kills();
    into.pids_peak = pids_.read_number("pids.peak");
    into.pids_refusals = pids_.read_keyed("pids.events", "max");
    if (const auto used = accounting().read_number("cpuacct.usage"))
      into.cpu_usage_s = static_cast<double>(*used) / 1e9;
    if (const auto held = cpu_.read_keyed("cpu.stat", "throttled_time"))
      into.cpu_throttled_s = static_cast<double>(*held) / 1e9;
  }

  std::optional<std::uint64_t> oom_kills() const override {
    return memory_.read_keyed("memory.oom_control", "oom_kill");
  }

  // v1 has no such file; the pid namespace's end kills the box. Where a control arm has none, what
  // is in the group is killed one by one, for as long as there is any.
  void kill_all() const override {
    for (int rounds = 0; cuts_.left_out("ns.pid") && rounds < 100; ++rounds) {
      if (pids_.read("cgroup.procs").value_or("").empty()) return;
      kill_members(pids_.path());
    }
  }

  Result<void> remove(Nanos patience) override {
    tasks_.clear();
    memory_now_.reset();
    pids_now_.reset();
    cpu_now_.reset();
    Result<void> first;
    for (CgroupFolder* folder : {&memory_, &pids_, &cpu_, &cpuacct_}) {
      if (folder->path().empty()) continue;
      Result<void> removed = folder->remove(patience);
      if (!removed && first) first = std::move(removed);
    }
    return first;
  }

  std::vector<SealCheck> checks(const Limits& limits) const override {
    const std::string cpu = first_line(cpu_.read("cpu.cfs_quota_us")) + " " +
                            first_line(cpu_.read("cpu.cfs_period_us"));
    // Memory and swap together are bounded where memory is, by a control arm's guard too.
    const SealCheck swap =
        swap_accounting_ ? compare("cg.swap", std::to_string(memory_bound(limits)),
                                   first_line(memory_.read("memory.memsw.limit_in_bytes")),
                                   "memory.memsw.limit_in_bytes, memory and swap together")
                         : compare("cg.swap", "no swap", swap_is_off() ? "no swap" : "swap is on",
                                   "/proc/swaps; no swap accounting");
    const auto check = [this](const char* name, std::string limit, std::string observed,
                              const char* method) {
      return compare(name, std::move(limit), with_guard(cuts_, name, std::move(observed)), method);
    };
    return {check("cg.mem", std::to_string(limits.memory.count),
                  first_line(memory_.read("memory.limit_in_bytes")), "memory.limit_in_bytes"),
            swap,
            check("cg.pids", std::to_string(limits.pids), first_line(pids_.read("pids.max")),
                  "pids.max"),
            check("cg.cpu", quota(limits.cpu.count) + " " + std::to_string(kPeriodMicros), cpu,
                  "cpu.cfs_quota_us cpu.cfs_period_us")};
  }

  std::string expected_membership() const override { return "/" + name_; }

 private:
  static std::string quota(std::uint64_t millicores) {
    return std::to_string(millicores * (kPeriodMicros / 1000));
  }
  std::uint64_t memory_bound(const Limits& limits) const {
    return guarded(cuts_, "cg.mem", limits.memory.count);
  }
  const CgroupFolder& accounting() const { return cpuacct_.path().empty() ? cpu_ : cpuacct_; }

  Result<void> limit_swap(const std::string& bound) const {
    if (swap_accounting_) return memory_.write("memory.memsw.limit_in_bytes", bound);
    if (swap_is_off()) return {};
    return Error(ErrorKind::HostCannot,
                 "swap cannot be limited: this kernel has no swap accounting")
        .hint("turn swap off (`swapoff -a`) or boot with swapaccount=1");
  }

  std::string name_;
  CgroupFolder memory_, pids_, cpu_, cpuacct_;
  bool swap_accounting_ = false;
  Cuts cuts_;
  std::vector<sys::Fd> tasks_;
  sys::Fd memory_now_, pids_now_, cpu_now_;
};

}  // namespace

Result<std::unique_ptr<BoxCgroup>> make_cgroup_v1(const sys::CgroupHost& host,
                                                  const std::string& name, const Limits& limits,
                                                  const Cuts& cuts) {
  std::unique_ptr<CgroupV1> group = PYBOX_TRY(CgroupV1::make(host, name));
  PYBOX_TRY(group->limit(limits, cuts));
  return std::unique_ptr<BoxCgroup>(std::move(group));
}

}  // namespace pybox::box
