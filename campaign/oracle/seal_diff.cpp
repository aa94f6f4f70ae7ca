#include "campaign/oracle/seal_diff.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace pybox::campaign {
namespace {

/// A name may be read back in several places; their order is the table's.
std::map<std::string, std::vector<const SealCheck*>> by_name(const Seal& seal) {
  std::map<std::string, std::vector<const SealCheck*>> checks;
  for (const SealCheck& check : seal.checks) checks[check.name].push_back(&check);
  return checks;
}

bool same(const SealCheck& a, const SealCheck& b) {
  if (a.ok != b.ok) return false;
  return a.expected != b.expected || a.observed == b.observed;
}

}  // namespace

std::vector<std::string> seal_differences(const Seal& reference, const Seal& other) {
  const auto left = by_name(reference);
  const auto right = by_name(other);
  std::set<std::string> differs;
  for (const auto& [name, checks] : left) {
    const auto found = right.find(name);
    const bool alike =
        found != right.end() &&
        std::equal(checks.begin(), checks.end(), found->second.begin(), found->second.end(),
                   [](const SealCheck* a, const SealCheck* b) { return same(*a, *b); });
    if (!alike) differs.insert(name);
  }
  for (const auto& [name, checks] : right) {
    if (!left.contains(name)) differs.insert(name);
  }
  return {differs.begin(), differs.end()};
}

std::vector<std::string> not_holding(const Seal& seal) {
  std::set<std::string> names;
  for (const SealCheck& check : seal.checks) {
    if (!check.ok) names.insert(check.name);
  }
  return {names.begin(), names.end()};
}

}  // namespace pybox::campaign
