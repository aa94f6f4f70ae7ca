#pragma once
/// The receipts of this installation: $PYBOX_HOME/receipts/RECEIPT_ID.json, the newest 500 (and for
/// a while a few older ones). Receipts of runs whose client died wait in receipts/pending/
/// (receipt/pending.hpp) until `pybox receipts` adopts them.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "sys/state_dirs.hpp"

namespace pybox {

constexpr std::size_t kKeptReceipts = 500;
/// So many more are let stand before the oldest are removed: looking up the time of 500 costs a run
/// more than signing, so only one run in 32 does it.
constexpr std::size_t kReceiptSlack = 32;

struct KeptReceipt {
  std::string id;
  std::filesystem::path file;
  Nanos kept_at{};  ///< the file's time, since the epoch
};

/// A receipt's id is its file's name: 1 to 64 of [A-Za-z0-9_-].
bool is_receipt_id(std::string_view word);

/// Makes the folder (0700), so that a run finds out before it starts that it cannot be kept.
Result<void> prepare_receipts(const sys::StateDirs& dirs);

/// Keeps the text under its id, whole or not at all, and makes room.
/// Precondition: is_receipt_id(id).
Result<void> keep_receipt(const sys::StateDirs& dirs, std::string_view id, std::string_view text);

/// The newest kKeptReceipts, newest first. An absent folder is an empty list.
std::vector<KeptReceipt> list_receipts(const sys::StateDirs& dirs);

/// The one kept receipt whose id starts with `prefix`. Error of kind Usage: none does, or several
/// do (the hint lists some).
Result<KeptReceipt> find_receipt(const sys::StateDirs& dirs, std::string_view prefix);

}  // namespace pybox
