#pragma once
/// The receipt: what was asked, what the kernel showed, what came out; signed. Its keys:
/// docs/receipt.md. Every key is always present, null when unknown.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "receipt/report.hpp"
#include "receipt/signature.hpp"
#include "request/request.hpp"

namespace pybox {

/// What a receipt says of a file that was handed in.
struct InputFact {
  std::string name;
  std::uint64_t bytes = 0;
  std::string sha256;  ///< empty when unknown: the run was adopted and the file is gone
};

struct Receipt {
  std::string receipt_id;
  std::string created_at;     ///< RFC 3339 UTC
  std::string pybox_version;  ///< of whoever composed it
  Request request;          ///< without program, arguments and file contents: none is in a receipt
  std::string image_id;     ///< empty when the run was refused before the image was found
  std::string code_sha256;  ///< empty when the program could not be read
  std::vector<InputFact> files_in;
  std::optional<std::string> accelerator;
  std::optional<std::string> vm;
  RunReport report;
  std::vector<std::string> hints;  ///< made by add_hints()
};

/// 24 hex digits, random.
std::string new_receipt_id();

/// A receipt of this moment for a request: id, time, version, digests; the report still says
/// NOT_STARTED and NOT_ATTEMPTED.
Receipt begin_receipt(const Request& request);

/// Makes it the receipt of a run that never reached a box: the report is emptied, the error's
/// message stands in outcome.evidence and its hint among the hints.
void mark_not_started(Receipt& receipt, const Error& why);

/// What a hint calls the words that ask for more; those of the command line by default.
struct HintWords {
  std::string_view timeout = "`--timeout`";
  std::string_view image = "`--image`";
};

/// Fills `hints` and adds to the report's notes: which limit was met and what to ask for instead,
/// TCG is no hardware boundary, …. Looks only at fields that the program in the box cannot
/// influence beyond what the kernel counted: never at `capture` texts, names or files.
void add_hints(Receipt& receipt, const HintWords& words = {});

/// The receipt as readable JSON with its signature over the RFC 8785 bytes of all other keys.
Result<std::string> sign_receipt(const Receipt& receipt, const SigningKey& key);
/// The same with `signature` null: for a receipt written when no key could be had.
std::string unsigned_receipt(const Receipt& receipt);

/// A receipt read back, with its signature checked for shape alone (receipt/verify.hpp checks it
/// whole). Strict as report_from_json; kind Evidence.
Result<Receipt> receipt_from_json(std::string_view json);

}  // namespace pybox
