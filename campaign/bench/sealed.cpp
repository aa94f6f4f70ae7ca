#include "campaign/bench/sealed.hpp"

#include <signal.h>

#include <system_error>
#include <utility>

#include "base/digest.hpp"
#include "receipt/keys.hpp"
#include "receipt/verify.hpp"
#include "request/limits.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

namespace fs = std::filesystem;

/// What a program may take: the default ceiling. It changes nothing about how long it takes.
constexpr const char* kTimeout = "30";
/// pybox itself gives up two seconds after the program's limit.
constexpr Nanos kPatience = std::chrono::seconds(60);

BoxFacts facts_of(const Receipt& receipt) {
  return {.accelerator = receipt.accelerator.value_or(""),
          .kernel = receipt.report.host.kernel,
          .cgroup = receipt.report.host.cgroup,
          .seal_checks = receipt.report.seal.checks.size(),
          .cpu_millicores = receipt.request.limits.cpu.count};
}

}  // namespace

std::string why_no_sample(const Receipt& receipt, const BenchCasePlan& plan) {
  const RunReport& report = receipt.report;
  if (receipt.request.engine != plan.engine || receipt.request.image != plan.image)
    return "its receipt is of another engine or image";
  if (receipt.image_id != plan.image_id) return "the image has changed since the plan was signed";
  if (receipt.code_sha256 != sha256_hex(plan.text)) return "its receipt is of another program";
  if (report.outcome.observation != Observation::TargetExit || report.outcome.exit_code != 0)
    return "its receipt says " + std::string(name_of(report.outcome.observation));
  if (!report.seal.verified || !report.seal.before_start || report.seal.checks.empty())
    return "its seal was not verified before the program started";
  if (report.cleanup.status != Cleanup::Status::Removed) return "its box is not known to be gone";
  if (report.out.bytes_total != plan.output.size() || report.out.sha256 != sha256_hex(plan.output))
    return "its receipt has another output";
  return {};
}

Result<sys::ToolResult> SealedRunner::time_exec(const BenchCasePlan& plan) const {
  sys::SpawnPlan exec;
  exec.program = pybox_;
  exec.args = {"exec",    "--engine",  std::string(name_of(plan.engine)),
               "--image", plan.image,  "--cold",
               "--quiet", "--timeout", kTimeout,
               "-c",      plan.text};
  // No settings of the user's: every bench is of the same PyBox.
  exec.environment = {"LANG=C.UTF-8", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                      "HOME=" + home_.string(), "PYBOX_HOME=" + home_.string()};
  exec.new_session = true;
  // Told to stop by SIGINT, pybox removes its box before it ends.
  return sys::run_to_end(std::move(exec), {.patience = kPatience,
                                           .kept = kTimedOutputKept,
                                           .cancel_fd = cancel_fd_,
                                           .stop_signal = SIGINT});
}

Result<Receipt> SealedRunner::take_receipt() {
  sys::StateDirs dirs;
  dirs.home = home_;
  if (!key_) key_ = PYBOX_TRY(load_public_key(public_key_file(dirs)));
  fs::path found;
  std::error_code trouble;
  for (fs::directory_iterator at(dirs.receipts(), trouble), end; at != end; at.increment(trouble)) {
    if (at->path().extension() != ".json") continue;
    if (!found.empty()) return Error(ErrorKind::Evidence, "there are two receipts of one run");
    found = at->path();
  }
  if (found.empty()) return Error(ErrorKind::Evidence, "there is no receipt of it");
  const std::string text = PYBOX_TRY(sys::read_file(found, 4_MiB));
  Verified verified = PYBOX_TRY(verify_receipt(text, *key_));
  fs::remove(found, trouble);
  return std::move(verified.receipt);
}

Result<SealedRun> SealedRunner::run(const BenchCasePlan& plan) {
  SealedRun run;
  run.timed = PYBOX_TRY(time_exec(plan));
  if (!run.timed.ok()) {
    run.trouble = trouble_of(run.timed);
    return run;
  }
  if (run.timed.out != plan.output) {
    run.trouble = "it printed something else than it must";
    return run;
  }
  const auto receipt = take_receipt();
  if (!receipt) {
    run.trouble = receipt.error().message();
    return run;
  }
  run.trouble = why_no_sample(receipt.value(), plan);
  run.box = facts_of(receipt.value());
  return run;
}

}  // namespace pybox::campaign
