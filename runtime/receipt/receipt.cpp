#include "receipt/receipt.hpp"

#include "base/clock.hpp"
#include "base/digest.hpp"

namespace pybox {

std::string new_receipt_id() { return random_hex(12); }

Receipt begin_receipt(const Request& request) {
  Receipt receipt;
  receipt.receipt_id = new_receipt_id();
  receipt.created_at = rfc3339(wall_now());
  receipt.pybox_version = PYBOX_VERSION;
  receipt.code_sha256 = sha256_hex(request.program);
  for (const InputFile& file : request.inputs) {
    if (file.kind == InputFile::Kind::Folder) continue;
    receipt.files_in.push_back({file.name, file.bytes.size(), sha256_hex(file.bytes)});
  }
  receipt.request = request;
  receipt.request.program.clear();
  receipt.request.args.clear();
  receipt.request.inputs.clear();
  return receipt;
}

void mark_not_started(Receipt& receipt, const Error& why) {
  receipt.report = RunReport{};
  if (receipt.request.return_files) receipt.report.files.status = Files::Status::NotReceived;
  receipt.report.outcome.evidence = {"not started: " + why.message()};
  receipt.hints.clear();
  if (!why.hint().empty()) receipt.hints.push_back(why.hint());
}

}  // namespace pybox
