#pragma once
/// The receipt: what was asked, what the kernel showed, what came out; signed. Shape: CONTRACT.md
/// "Receipt", documented in docs/receipt.md. Every key is always present, null when unknown.

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "receipt/report.hpp"
#include "request/request.hpp"

namespace pybox {

struct Receipt {
  std::string receipt_id;
  std::string created_at;
  Request request;  ///< program text itself is never in the receipt, only its digest
  std::optional<std::string> image_id;
  std::string code_sha256;
  std::optional<std::string> accelerator;
  std::optional<std::string> vm;
  RunReport report;
  std::vector<std::string> hints;  ///< made by add_hints()
  std::vector<std::string> notes;
};

/// A receipt for a run that never reached a box: NOT_STARTED, NOT_ATTEMPTED.
Receipt not_started(const Request& request, const Error& why);

/// Fills `hints` and `notes` from the report: which limit was met and what to ask for instead, TCG
/// is no hardware boundary, …. Looks only at trusted fields.
void add_hints(Receipt& receipt);

}  // namespace pybox
