#include "store/package.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace pybox::store {

std::string what_changed(const std::vector<Package>& before, const std::vector<Package>& after,
                         std::size_t most) {
  std::map<std::string, std::pair<const Package*, const Package*>> by_name;
  for (const Package& package : before) by_name[package.name].first = &package;
  for (const Package& package : after) by_name[package.name].second = &package;
  std::vector<std::string> changes;
  for (const auto& [name, pair] : by_name) {
    const auto& [old_one, new_one] = pair;
    if (old_one == nullptr) {
      changes.push_back(name + " " + new_one->version + " added");
    } else if (new_one == nullptr) {
      changes.push_back(name + " " + old_one->version + " removed");
    } else if (old_one->version != new_one->version) {
      changes.push_back(name + " " + old_one->version + " → " + new_one->version);
    } else if (old_one->sha256 != new_one->sha256) {
      changes.push_back(name + " " + new_one->version + " (same version, other content)");
    }
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(most, changes.size()); ++i)
    text += (i == 0 ? "" : ", ") + changes[i];
  if (changes.size() > most) text += " and " + std::to_string(changes.size() - most) + " more";
  return text;
}

}  // namespace pybox::store
