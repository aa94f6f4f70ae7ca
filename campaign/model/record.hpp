#pragma once
/// What one attempt at one arm left behind: everything an oracle may look at. Rebuilt from
/// events.jsonl and raw/, so that an old recording can be judged by a new oracle.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "campaign/model/check.hpp"
#include "receipt/report.hpp"

namespace pybox::campaign {

struct Record {
  std::string check;  ///< Check::id
  EngineKind engine = EngineKind::Vm;
  ArmName arm;
  std::uint32_t attempt = 1;
  std::vector<std::string> removed;
  std::string nonce;   ///< 32 hex digits made for this attempt; its probe line must carry it
  std::string canary;  ///< 32 hex digits planted in the world around the box
  /// What boxd reported: seal, outcome, kernel readings, output, files. Absent when no box was made
  /// or for a driver.
  std::optional<RunReport> report;
  std::string out;  ///< stdout of probe or driver, as kept
  std::string err;
  /// Host-side witnesses of the world, e.g. "tcp 1": how often each canary was touched.
  std::vector<std::string> witnesses;
  Nanos duration{};
  /// Why there is no usable run (no box, driver failed, harness trouble); empty when there is one.
  std::string trouble;
};

}  // namespace pybox::campaign
