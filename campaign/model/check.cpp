#include "campaign/model/check.hpp"

namespace pybox::campaign {

std::string full_id(const Check& check) {
  return check.id + "@" + std::string(name_of(check.engine));
}

std::vector<Arm> arms_of(const Check& check) {
  std::vector<Arm> arms = {{kProtected, {}}, {kControl, check.cut}};
  if (check.cut.size() > 1) {
    for (const std::string& kept : check.cut) {
      Arm only{kOnly + kept, {}};
      for (const std::string& name : check.cut) {
        if (name != kept) only.removed.push_back(name);
      }
      arms.push_back(std::move(only));
    }
  }
  if (!check.benign.empty()) arms.push_back({kBenign, {}});
  return arms;
}

std::vector<Signature> expected_of(const Check& check, const ArmName& arm) {
  const auto found = check.expected.find(arm);
  return found == check.expected.end() ? std::vector<Signature>() : found->second;
}

}  // namespace pybox::campaign
