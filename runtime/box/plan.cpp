#include "box/plan.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "base/digest.hpp"

namespace pybox::box {
namespace {

/// Ids far above those that distributions, systemd and containers hand out (systemd: UIDS-GIDS.md
/// reserves up to 0x6fffffff), below the signed limit.
constexpr uid_t kFirstOutside = 0x70000000;
constexpr std::uint32_t kIdPairs = 1U << 27U;

/// The inputs lie in the scratch space and must not take the program's share of it.
void make_room(std::span<const InputFile> inputs, Limits& limits) {
  constexpr std::uint64_t kPage = 4096;
  for (const InputFile& file : inputs) {
    limits.tmp.count += (file.bytes.size() + kPage - 1) / kPage * kPage;
    limits.tmp_inodes +=
        1 + static_cast<std::uint32_t>(std::count(file.name.begin(), file.name.end(), '/'));
  }
}

}  // namespace

IdMap id_map_for(uid_t boxd_uid) {
  if (boxd_uid != 0) return {false, boxd_uid, boxd_uid};
  std::uint32_t random = 0;
  random_fill({reinterpret_cast<std::uint8_t*>(&random), sizeof(random)});
  const auto first = static_cast<uid_t>(kFirstOutside + 2 * (random % kIdPairs));
  return {true, first, first + 1};
}

std::vector<std::string> program_environment(MilliCores cpu) {
  // Numeric libraries start one thread for each processor they see and would meet the task limit;
  // the quota is the truth about processors here.
  const std::string threads = std::to_string((cpu.count + 999) / 1000);
  return {"HOME=/tmp/home",
          "TMPDIR=/tmp",
          "PATH=/usr/bin:/bin",
          "LANG=C.UTF-8",
          "USER=box",
          "OPENBLAS_NUM_THREADS=" + threads,
          "OMP_NUM_THREADS=" + threads,
          "MKL_NUM_THREADS=" + threads,
          "MPLCONFIGDIR=/tmp/home"};
}

BoxPlan plan_box(const Request& request, const IdMap& ids, Cuts cuts) {
  BoxPlan plan;
  plan.filters = FilterChoice(cuts);
  plan.cuts = std::move(cuts);
  plan.limits = request.limits;
  plan.timeout = request.timeout;
  plan.expiry = expiry_for(request.timeout);
  plan.ids = ids;
  if (plan.cuts.left_out("ns.user") && ids.two_ids) {
    plan.ids.keeper = ids.keeper_outside;
    plan.ids.program = ids.program_outside;
  }
  plan.program_path = "/tmp/" + request.program_name;
  plan.program = request.program;
  plan.inputs = request.inputs;
  make_room(plan.inputs, plan.limits);
  plan.argv = {"python3", "-I", plan.program_path};
  plan.argv.insert(plan.argv.end(), request.args.begin(), request.args.end());
  plan.environment = program_environment(request.limits.cpu);
  plan.resource_limits = {
      {"rl.nofile", "Max open files", RLIMIT_NOFILE, 1024},
      {"rl.fsize", "Max file size", RLIMIT_FSIZE, request.limits.tmp.count},
      {"rl.core", "Max core file size", RLIMIT_CORE, 0},
      {"rl.memlock", "Max locked memory", RLIMIT_MEMLOCK, 65536},
      {"rl.sigpending", "Max pending signals", RLIMIT_SIGPENDING, 1024},
      {"rl.msgq", "Max msgqueue size", RLIMIT_MSGQUEUE, 0},
  };
  return plan;
}

}  // namespace pybox::box
