#include "campaign/world/arm_run.hpp"

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "engine/conversation.hpp"

namespace pybox::campaign {

link::RunOrder order_for(const ArmOrder& arm, const store::Image& image, EngineKind engine) {
  link::RunOrder order;
  order.receipt_id = random_hex(8);
  order.created_at = rfc3339(wall_now());
  order.image_id = image.id;
  if (engine == EngineKind::Native) order.rootfs = image.rootfs;
  order.request.engine = engine;
  order.request.image = arm.check.image;
  order.request.program = arm.program;
  order.request.timeout = arm.check.timeout;
  order.request.limits = limits_for_image(arm.check.image);
  order.request.inputs = arm.check.inputs;
  order.request.return_files = arm.check.return_files;
  // Nobody would read the record of an arm whose campaign has gone.
  order.request.when_orphaned = Request::WhenOrphaned::Kill;
  order.code_sha256 = "sha256:" + sha256_hex(order.request.program);
  order.leave_out = arm.removed;
  return order;
}

Result<RunReport> run_over(int link, const link::RunOrder& order, int cancel_fd) {
  engine::Console console;
  console.cancel_fd = cancel_fd;
  Result<RunReport> report = engine::converse(link, order, console);
  if (report) return report;
  const Error& error = report.error();
  if (error.kind() != ErrorKind::Refused && error.kind() != ErrorKind::HostCannot) return report;
  RunReport refused;
  refused.failure =
      RunReport::Failure{error.kind() == ErrorKind::Refused, error.message(), error.hint()};
  refused.outcome.observation = Observation::NotStarted;
  return refused;
}

std::string fresh_canary() { return random_hex(16); }

}  // namespace pybox::campaign
