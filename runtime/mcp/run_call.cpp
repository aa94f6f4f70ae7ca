#include "mcp/run_call.hpp"

#include <fmt/core.h>

#include <optional>

#include "base/crashpoint.hpp"
#include "mcp/delivery.hpp"
#include "mcp/result_text.hpp"
#include "receipt/keys.hpp"
#include "receipt/store.hpp"
#include "run/run_receipt.hpp"
#include "store/registry.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::mcp {
namespace {

/// What a call needs of this installation.
struct Place {
  sys::StateDirs dirs;
  SigningKey key;
};

Result<Place> open_place() {
  sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
  PYBOX_TRY(prepare_receipts(dirs));
  SigningKey key = PYBOX_TRY(load_or_make_key(dirs));
  return Place{std::move(dirs), std::move(key)};
}

Result<engine::RunAnswer> run_in_box(Request request, const Place& place, Receipt& receipt,
                                     int cancel_fd) {
  const store::Image image =
      PYBOX_TRY(store::find_image(place.dirs, request.image, request.python));
  receipt.image_id = image.id;
  const EngineKind kind = request.engine;
  const link::RunOrder order = run::order_for(receipt, std::move(request), image);
  engine::Console console;
  console.cancel_fd = cancel_fd;
  return run::make_engine(kind)->run(order, console);
}

std::string end_of(const Receipt& receipt) {
  const RunReport& report = receipt.report;
  std::string text = fmt::format("{}, cleanup {}", name_of(report.outcome.observation),
                                 name_of(report.cleanup.status));
  if (!report.cleanup.detail.empty()) text += ": " + report.cleanup.detail;
  return text + " (receipt " + receipt.receipt_id + ")";
}

/// Signs and keeps. A receipt that cannot be kept is still delivered, and says so.
CallOutcome finish(Receipt receipt, const Result<Place>& place, Tool tool, std::size_t budget,
                   bool keep) {
  CallOutcome outcome;
  outcome.log = end_of(receipt);
  const std::string id = receipt.receipt_id;
  Delivered made = deliver(std::move(receipt), place ? &place->key : nullptr, tool, budget);
  if (keep && place) {
    auto kept = keep_receipt(place->dirs, id, made.receipt);
    if (!kept) outcome.log += "; not kept: " + kept.error().message();
  }
  PYBOX_CRASHPOINT("call-kept");
  outcome.body = std::move(made.body);
  return outcome;
}

}  // namespace

CallOutcome run_call(Tool tool, Asked asked, const Operator& allowed, std::size_t budget,
                     int cancel_fd) {
  Receipt receipt = begin_receipt(asked.request);
  const auto place = open_place();
  auto answer = place ? run_in_box(std::move(asked.request), *place, receipt, cancel_fd)
                      : Result<engine::RunAnswer>(place.error());
  if (answer) {
    const bool scripts = tool == Tool::ExecutePython;
    const std::string timeout =
        fmt::format("`{}` (at most {} s, set by the server)",
                    scripts ? "timeout_seconds" : "timeout_s", seconds(allowed.ceiling_of(tool)));
    const std::string_view image =
        scripts || allowed.images.size() == 1 ? "the server's `--images`" : "`image`";
    run::enter_answer(receipt, std::move(*answer), {timeout, image});
  } else {
    mark_not_started(receipt, answer.error());
  }
  return finish(std::move(receipt), place, tool, budget, true);
}

CallOutcome refuse_call(Tool tool, const Request& request, const Error& why, std::size_t budget) {
  Receipt receipt = begin_receipt(request);
  mark_not_started(receipt, why);
  const auto place = open_place();
  return finish(std::move(receipt), place, tool, budget, why.kind() != ErrorKind::Usage);
}

}  // namespace pybox::mcp
