#pragma once
/// What is different from an earlier campaign: the environment first, for that explains most of it.

#include <string>
#include <vector>

#include "reports/read/campaign.hpp"

namespace pybox::reports {

struct FactChange {
  std::string name;
  std::string before, now;  ///< empty: was or is not there
};

struct CheckChange {
  enum class Kind { Added, Deleted, Changed };
  Kind kind = Kind::Changed;
  std::string full_id;
  std::string before, now;  ///< "held", or "protected: EPERM" when only a signature changed
};
std::string_view name_of(CheckChange::Kind kind);

struct Changes {
  std::vector<FactChange> environment, tools;
  std::vector<CheckChange> checks;  ///< verdicts, and signatures of arms with the same verdict
  std::uint64_t unchanged = 0;
};
Changes changes_between(const Campaign& before, const Campaign& now);

}  // namespace pybox::reports
