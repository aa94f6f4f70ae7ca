#pragma once
/// Which protections a box is built without: none, always, in the boxd that is released. Only the
/// separate build `boxd-campaign` (PYBOX_CAMPAIGN) can name any, so that the campaign can show what
/// each protection stops. In the released build `left_out` is a constant and the compiler removes
/// every branch behind it: there is no code to weaken a box.

#include <string>
#include <string_view>
#include <vector>

namespace pybox::box {

#ifdef PYBOX_CAMPAIGN
class Cuts {
 public:
  Cuts() = default;
  explicit Cuts(std::vector<std::string> names) : names_(std::move(names)) {}
  bool left_out(std::string_view protection) const {
    for (const std::string& name : names_) {
      if (name == protection) return true;
    }
    return false;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};
#else
class Cuts {
 public:
  static constexpr bool left_out(std::string_view) { return false; }
};
#endif

}  // namespace pybox::box
