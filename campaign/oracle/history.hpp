#pragma once
/// A recording put in order: which attempts each planned arm had, and what each left behind.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/model/event.hpp"
#include "campaign/model/plan.hpp"
#include "campaign/model/record.hpp"

namespace pybox::campaign {

/// The bytes of a blob by its name. Error kind Evidence when it is absent or changed.
using ReadBlob = std::function<Result<std::string>(const std::string& name)>;

/// An attempt that ended, with the events it is made from.
struct Attempted {
  Record record;
  std::optional<std::string> report, out, err;  ///< names of blobs
};

/// "net.loopback@native"
using FullId = std::string;

struct History {
  Event started;
  std::optional<Event> ended;  ///< the last `campaign-ended`
  std::map<FullId, std::map<ArmName, std::vector<Attempted>>> attempts;
  std::map<FullId, std::string> unmet;  ///< the reason
};

/// Error kind Evidence: no beginning, another plan than this one, a check or arm that was never
/// planned or leaves out what was not planned, an end without its beginning, a nonce twice, a
/// missing or changed blob. Attempts that never ended are left out.
Result<History> history_of(const Plan& plan, const std::string& plan_sha256,
                           const std::vector<Event>& events, const ReadBlob& read_blob);

/// The record that the two events of an attempt and its blobs make.
Result<Attempted> attempted(const Event& began, const Event& ended, const ReadBlob& read_blob);

}  // namespace pybox::campaign
