#include "run/adopt.hpp"

#include <unistd.h>

#include <cerrno>

#include <filesystem>

#include "base/crashpoint.hpp"
#include "files/arrival.hpp"
#include "link/order.hpp"
#include "receipt/keys.hpp"
#include "receipt/pending.hpp"
#include "receipt/receipt.hpp"
#include "receipt/store.hpp"
#include "sys/file.hpp"

namespace pybox::run {
namespace {

namespace fs = std::filesystem;

/// The report of a run that was lost together with its VM.
RunReport lost_report(std::optional<Seal> seal) {
  RunReport report;
  if (seal) report.seal = *std::move(seal);
  report.outcome.observation = Observation::BoxLost;
  report.outcome.evidence = {"the VM ended before the run did"};
  report.cleanup = {Cleanup::Status::Unconfirmed, "the VM that held the box is gone"};
  return report;
}

Result<Receipt> receipt_of(const fs::path& record) {
  PendingRun run = PYBOX_TRY(read_pending(record));
  link::OrderHead head = PYBOX_TRY(link::order_head_from(run.order_head));
  if (!is_receipt_id(head.order.receipt_id) || head.order.receipt_id != record.stem()) {
    return Error(ErrorKind::Protocol, "the record's name is not its receipt's id");
  }
  Receipt receipt;
  receipt.receipt_id = std::move(head.order.receipt_id);
  receipt.created_at = std::move(head.order.created_at);
  receipt.pybox_version = PYBOX_VERSION;
  receipt.image_id = std::move(head.order.image_id);
  receipt.code_sha256 = std::move(head.order.code_sha256);
  for (const auto& file : head.inputs) {
    if (file.kind == InputFile::Kind::File) receipt.files_in.push_back({file.name, file.bytes, ""});
  }
  receipt.request = std::move(head.order.request);
  receipt.request.args.clear();
  receipt.accelerator = std::move(run.accelerator);
  receipt.vm = std::move(run.vm);
  std::optional<Seal> seal;
  if (run.seal_head) seal = PYBOX_TRY(seal_from_json(*run.seal_head));
  receipt.report = run.report_head ? PYBOX_TRY(report_from_json(*run.report_head, seal))
                                   : lost_report(std::move(seal));
  if (receipt.request.return_files) receipt.report.files.status = Files::Status::NotReceived;
  files::leave_behind(receipt.report.files, "the client was gone before it was delivered");
  receipt.report.notes.emplace_back(
      "the client was gone before the run ended; its output was not delivered");
  add_hints(receipt);
  return receipt;
}

/// A client that gave up may have kept a receipt of a lost box; that one alone gives way to what
/// became known later.
bool gives_way(const fs::path& kept) {
  const auto text = sys::read_file(kept);
  if (!text) return true;
  const auto receipt = receipt_from_json(*text);
  return receipt && receipt->report.outcome.observation == Observation::BoxLost;
}

Result<void> adopt(const sys::StateDirs& dirs, const fs::path& record, const SigningKey& key) {
  const Receipt receipt = PYBOX_TRY(receipt_of(record));
  if (gives_way(dirs.receipts() / record.filename())) {
    const std::string text = PYBOX_TRY(sign_receipt(receipt, key));
    PYBOX_TRY(keep_receipt(dirs, receipt.receipt_id, text));
  }
  PYBOX_CRASHPOINT("adopted");
  ::unlink(record.c_str());
  PYBOX_CRASHPOINT("record-removed");
  return {};
}

}  // namespace

std::vector<Error> adopt_pending(const sys::StateDirs& dirs) {
  const std::vector<fs::path> records = list_pending(dirs);
  if (records.empty()) return {};
  auto key = load_or_make_key(dirs);
  if (!key) return {std::move(key).error()};
  std::vector<Error> troubles;
  for (const fs::path& record : records) {
    auto adopted = adopt(dirs, record, *key);
    if (adopted || adopted.error().errno_code() == ENOENT) continue;  // another process was faster
    if (adopted.error().kind() == ErrorKind::Protocol) {
      std::error_code ignored;
      fs::rename(record, record.string() + ".broken", ignored);
    }
    troubles.push_back(std::move(adopted).error().context("adopting " + record.string()));
  }
  return troubles;
}

}  // namespace pybox::run
