#include "mcp/run_call.hpp"

#include <fmt/core.h>

#include "base/crashpoint.hpp"
#include "mcp/delivery.hpp"
#include "mcp/result_text.hpp"
#include "run/conductor.hpp"

namespace pybox::mcp {
namespace {

std::string end_of(const Receipt& receipt) {
  const RunReport& report = receipt.report;
  std::string text = fmt::format("{}, cleanup {}", name_of(report.outcome.observation),
                                 name_of(report.cleanup.status));
  if (!report.cleanup.detail.empty()) text += ": " + report.cleanup.detail;
  return text + " (receipt " + receipt.receipt_id + ")";
}

/// Signs and keeps. A receipt that cannot be kept is still delivered, and says so.
enum class Keep { Yes, No };
CallOutcome finish(run::Conductor& conductor, Tool tool, std::size_t budget, Keep keep) {
  CallOutcome outcome;
  outcome.log = end_of(conductor.receipt());
  Delivered made = deliver(conductor.receipt(), conductor.key(), tool, budget);
  if (keep == Keep::Yes) {
    auto kept = conductor.keep(made.receipt);
    if (!kept) outcome.log += "; not kept: " + kept.error().message();
  }
  PYBOX_CRASHPOINT("call-kept");
  outcome.body = std::move(made.body);
  return outcome;
}

}  // namespace

CallOutcome run_call(Tool tool, Asked asked, const Operator& allowed, std::size_t budget,
                     int cancel_fd) {
  const bool scripts = tool == Tool::ExecutePython;
  const std::string timeout =
      fmt::format("`{}` (at most {} s, set by the server)",
                  scripts ? "timeout_seconds" : "timeout_s", seconds(allowed.ceiling_of(tool)));
  const std::string_view image =
      scripts || allowed.images.size() == 1 ? "the server's `--images`" : "`image`";
  engine::Console console;
  console.cancel_fd = cancel_fd;
  run::Conductor conductor(run::parts_of_this_host(), std::move(asked.request));
  (void)conductor.carry_out(console, {timeout, image});  // what went wrong stands in the receipt
  return finish(conductor, tool, budget, Keep::Yes);
}

CallOutcome refuse_call(Tool tool, const Request& request, const Error& why, std::size_t budget) {
  run::Conductor conductor(run::parts_of_this_host(), request);
  (void)conductor.refuse(why);
  return finish(conductor, tool, budget, why.kind() == ErrorKind::Usage ? Keep::No : Keep::Yes);
}

}  // namespace pybox::mcp
