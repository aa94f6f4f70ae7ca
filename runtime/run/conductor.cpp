#include "run/conductor.hpp"

#include <utility>

#include "base/crashpoint.hpp"
#include "receipt/keys.hpp"
#include "receipt/store.hpp"

namespace pybox::run {
namespace {

std::unique_ptr<engine::Engine> make_engine(EngineKind kind) {
  if (kind == EngineKind::Native) return engine::make_native_engine();
  return engine::make_vm_engine();
}

/// What the engine gets: the request, under the id, time and digest that its receipt names.
link::RunOrder order_for(const Receipt& receipt, Request request, const store::Image& image,
                         const engine::Console& console) {
  link::RunOrder order;
  order.receipt_id = receipt.receipt_id;
  order.created_at = receipt.created_at;
  order.image_id = image.id;
  if (request.engine == EngineKind::Native) order.rootfs = image.rootfs;
  order.code_sha256 = receipt.code_sha256;
  order.request = std::move(request);
  order.stream_output = console.output != nullptr;
  order.has_stdin = console.stdin_fd >= 0;
  return order;
}

/// What kept PyBox from doing its job, read from a finished report.
std::optional<Error> trouble_of(const Receipt& receipt) {
  const RunReport& report = receipt.report;
  if (report.failure) {
    const ErrorKind kind = report.failure->refused ? ErrorKind::Refused : ErrorKind::HostCannot;
    return Error(kind, report.failure->message).hint(report.failure->hint);
  }
  std::optional<Error> trouble;
  if (report.cleanup.status == Cleanup::Status::Unconfirmed) {
    trouble = Error(ErrorKind::HostCannot, "the removal of the box is not confirmed");
  } else if (report.outcome.observation == Observation::BoxLost) {
    trouble = Error(ErrorKind::HostCannot, "the box was lost; how the program ended is unknown");
  }
  // The hints say what to do, also when the summary is not shown.
  if (!trouble || receipt.hints.empty()) return trouble;
  return std::move(*trouble).hint(receipt.hints.back());
}

}  // namespace

Parts parts_of_this_host() { return {store::find_image, make_engine}; }

Conductor::Conductor(Parts parts, Request request, std::unique_ptr<engine::Engine> ready)
    : parts_(std::move(parts)),
      request_(std::move(request)),
      engine_(std::move(ready)),
      receipt_(begin_receipt(request_)),
      dirs_(sys::state_dirs()) {}

std::optional<Error> Conductor::carry_out(const engine::Console& console, const HintWords& words) {
  auto answer = run(console);
  if (!answer) return refuse(std::move(answer).error());
  return enter(std::move(*answer), words);
}

Error Conductor::refuse(Error why) {
  mark_not_started(receipt_, why);
  return why;
}

/// That the receipt can be kept and signed is known before anything starts.
Result<engine::RunAnswer> Conductor::run(const engine::Console& console) {
  if (!dirs_) return dirs_.error();
  const store::Image image = PYBOX_TRY(parts_.find_image(*dirs_, request_.image, request_.python));
  receipt_.image_id = image.id;
  PYBOX_TRY(prepare_keeping());
  key_ = PYBOX_TRY(load_or_make_key(*dirs_));
  PYBOX_CRASHPOINT("key-loaded");
  if (!engine_) engine_ = parts_.make_engine(request_.engine);
  return engine_->run(order_for(receipt_, std::move(request_), image, console), console);
}

std::optional<Error> Conductor::enter(engine::RunAnswer answer, const HintWords& words) {
  receipt_.accelerator = std::move(answer.host.accelerator);
  receipt_.vm = std::move(answer.host.vm);
  RunReport& report = receipt_.report = std::move(answer.report);
  // A lost box's report knows nothing of files.
  if (receipt_.request.return_files && report.files.status == Files::Status::None)
    report.files.status = Files::Status::NotReceived;
  if (report.failure) report.outcome.evidence.push_back("not started: " + report.failure->message);
  add_hints(receipt_, words);
  PYBOX_CRASHPOINT("report-entered");
  return trouble_of(receipt_);
}

const SigningKey* Conductor::key() {
  if (!key_ && dirs_) {
    auto key = load_or_make_key(*dirs_);
    if (key) key_ = std::move(*key);
  }
  return key_ ? &*key_ : nullptr;
}

std::string Conductor::signed_receipt() {
  if (const SigningKey* mine = key()) {
    auto text = sign_receipt(receipt_, *mine);
    if (text) return *std::move(text);
  }
  return unsigned_receipt(receipt_);
}

Result<void> Conductor::prepare_keeping() {
  if (!can_keep_) PYBOX_TRY(prepare_receipts(*dirs_));
  can_keep_ = true;
  return {};
}

Result<void> Conductor::keep(std::string_view text) {
  if (!dirs_) return dirs_.error();
  PYBOX_TRY(prepare_keeping());
  PYBOX_TRY(keep_receipt(*dirs_, receipt_.receipt_id, text));
  PYBOX_CRASHPOINT("receipt-kept");
  return {};
}

}  // namespace pybox::run
