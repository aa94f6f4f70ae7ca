#pragma once
/// The two makers behind make_cgroup, one per cgroup version.

#include <filesystem>

#include "box/cgroup.hpp"

namespace pybox::box {

/// What a limit is set to: itself. A control arm that leaves `name` out gets three times as much, a
/// guard behind a program that stops itself at twice the limit.
template <class Number>
Number guarded(const Cuts& cuts, std::string_view name, Number limit) {
  return cuts.left_out(name) ? static_cast<Number>(3 * limit) : limit;
}
/// The same words in the seal: "402653184 (a guard)".
inline std::string with_guard(const Cuts& cuts, std::string_view name, std::string observed) {
  return cuts.left_out(name) ? observed + " (the guard of a control arm)" : observed;
}

Result<std::unique_ptr<BoxCgroup>> make_cgroup_v2(const sys::CgroupHost& host,
                                                  const std::string& name, const Limits& limits,
                                                  const Cuts& cuts);
Result<std::unique_ptr<BoxCgroup>> make_cgroup_v1(const sys::CgroupHost& host,
                                                  const std::string& name, const Limits& limits,
                                                  const Cuts& cuts);
/// Kills what is in the group `folder`: by cgroup.kill where the kernel has it, else each member of
/// the moment, and no process that only took over a member's number.
void kill_members(const std::filesystem::path& folder);
/// True when the host has no swap at all (/proc/swaps lists none).
bool swap_is_off();

}  // namespace pybox::box
