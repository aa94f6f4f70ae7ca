#include "store/record.hpp"

namespace pybox::store {

std::string what_changed(const ImageRecord& before, const ImageRecord& after) {
  if (before.id == after.id) return "the image `" + after.name + "` has the same ID as before";
  std::string why = what_changed(before.packages, after.packages);
  if (!why.empty()) why = "these packages changed: " + why;
  if (before.recipe != after.recipe)
    why += std::string(why.empty() ? "" : "; and ") + "its recipe changed";
  if (why.empty()) why = "its old record was not that of its packages";
  return "the image `" + after.name + "` changed: " + before.id + " → " + after.id + ", because " +
         why;
}

}  // namespace pybox::store
