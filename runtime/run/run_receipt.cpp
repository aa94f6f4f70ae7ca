#include "run/run_receipt.hpp"

namespace pybox::run {
namespace {

/// The error that a report carries when boxd itself refused or failed.
Error error_of(const RunReport::Failure& failure) {
  return Error(failure.refused ? ErrorKind::Refused : ErrorKind::HostCannot, failure.message)
      .hint(failure.hint);
}

std::optional<Error> trouble_of(const Receipt& receipt) {
  const RunReport& report = receipt.report;
  if (report.failure) return error_of(*report.failure);
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

std::unique_ptr<engine::Engine> make_engine(EngineKind kind) {
  if (kind == EngineKind::Native) return engine::make_native_engine();
  return engine::make_vm_engine();
}

link::RunOrder order_for(const Receipt& receipt, Request request, const store::Image& image) {
  link::RunOrder order;
  order.receipt_id = receipt.receipt_id;
  order.created_at = receipt.created_at;
  order.image_id = image.id;
  if (request.engine == EngineKind::Native) order.rootfs = image.rootfs;
  order.code_sha256 = receipt.code_sha256;
  order.request = std::move(request);
  return order;
}

std::optional<Error> enter_answer(Receipt& receipt, engine::RunAnswer answer,
                                  const HintWords& words) {
  receipt.accelerator = std::move(answer.host.accelerator);
  receipt.vm = std::move(answer.host.vm);
  receipt.report = std::move(answer.report);
  // A lost box's report knows nothing of files.
  if (receipt.request.return_files && receipt.report.files.status == Files::Status::None)
    receipt.report.files.status = Files::Status::NotReceived;
  if (receipt.report.failure) {
    receipt.report.outcome.evidence.push_back("not started: " + receipt.report.failure->message);
  }
  add_hints(receipt, words);
  return trouble_of(receipt);
}

}  // namespace pybox::run
