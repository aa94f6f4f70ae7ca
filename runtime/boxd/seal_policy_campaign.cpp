#include <algorithm>

#include "boxd/seal_policy.hpp"

namespace pybox::boxd {
namespace {

/// Asks for the protections to be left out and for the seal to be judged as if they had not been:
/// the fault that a released boxd must notice.
constexpr std::string_view kInjectFault = "inject-fault";

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool keeps_environment() { return true; }

bool may_leave_out(const std::vector<std::string>&) { return true; }

box::Cuts cuts_for(const std::vector<std::string>& names) { return box::Cuts(names); }

bool acceptable(const Seal& seal, const std::vector<std::string>& left_out) {
  if (contains(left_out, kInjectFault)) return seal.verified;
  return std::all_of(seal.checks.begin(), seal.checks.end(), [&](const SealCheck& check) {
    return check.ok != contains(left_out, check.name);
  });
}

}  // namespace pybox::boxd
