#pragma once
/// The record of a run whose client died before it could take its report: kept by whoever still
/// lives (the VM's supervisor; boxd on the host), adopted and signed later by `pybox receipts`.
///
/// One file a run, $PYBOX_HOME/receipts/pending/RECEIPT_ID.json, mode 0600, whole or absent:
///   {"schema_version": 1,
///    "order":  the head of the Run frame (link/order.hpp), as an object,
///    "seal":   the head of the Started frame (seal_to_json), as an object; null when the program
///              had not started,
///    "report": the head of the Report frame (report_to_json), as an object; null when the box was
///              lost with its VM,
///    "accelerator": "kvm" | "tcg" | null,  "vm": "shared" | "own" | null}
/// Contents of returned files are not kept: nobody is left to hand them to.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sys/state_dirs.hpp"

namespace pybox {

struct PendingRun {
  std::string order_head;                  ///< JSON of one object
  std::optional<std::string> seal_head;    ///< JSON of one object
  std::optional<std::string> report_head;  ///< JSON of one object
  std::optional<std::string> accelerator;
  std::optional<std::string> vm;
};

std::filesystem::path pending_dir(const sys::StateDirs& dirs);

/// Writes the record. `receipt_id` must be a plain word ([A-Za-z0-9._-], at most 64): it becomes
/// the file's name and may come from a hostile client. The heads must be JSON objects of at most 1
/// MiB.
Result<void> keep_pending(const sys::StateDirs& dirs, std::string_view receipt_id,
                          const PendingRun& run);

/// Reads one record back; the heads come out as compact JSON for order_from(),
/// seal_from_json() and report_from_json().
Result<PendingRun> read_pending(const std::filesystem::path& file);

/// The record files that exist, sorted by name. An absent folder is an empty list.
std::vector<std::filesystem::path> list_pending(const sys::StateDirs& dirs);

}  // namespace pybox
