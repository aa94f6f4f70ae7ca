#pragma once
/// The two makers behind make_cgroup, one per cgroup version.

#include "box/cgroup.hpp"

namespace pybox::box {

Result<std::unique_ptr<BoxCgroup>> make_cgroup_v2(const sys::CgroupHost& host,
                                                  const std::string& name, const Limits& limits,
                                                  const Cuts& cuts);
Result<std::unique_ptr<BoxCgroup>> make_cgroup_v1(const sys::CgroupHost& host,
                                                  const std::string& name, const Limits& limits,
                                                  const Cuts& cuts);
/// True when the host has no swap at all (/proc/swaps lists none).
bool swap_is_off();

}  // namespace pybox::box
