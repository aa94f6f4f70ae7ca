#pragma once
/// Which system call filter a box gets: decided before the clone, because whether the pid namespace
/// refuses to execute memory files is only known inside.

#include <linux/filter.h>

#include <span>
#include <vector>

#include "box/cuts.hpp"
#include "box/seccomp_filter.hpp"

namespace pybox::box {

#ifdef PYBOX_CAMPAIGN
/// The same two filters, in front of them an "allow" for each call of the protections left out.
class FilterChoice {
 public:
  FilterChoice() = default;
  explicit FilterChoice(const Cuts& cuts);
  std::span<const sock_filter> get(bool memfd) const {
    return memfd ? with_memfd_ : without_memfd_;
  }

 private:
  std::vector<sock_filter> with_memfd_, without_memfd_;
};
#else
class FilterChoice {
 public:
  FilterChoice() = default;
  explicit FilterChoice(const Cuts&) {}
  static std::span<const sock_filter> get(bool memfd) { return seccomp_filter(memfd); }
};
#endif

}  // namespace pybox::box
