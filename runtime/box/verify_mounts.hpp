#pragma once
/// The fs.* part of the seal: the program's mount table, devices and scratch space, read from
/// outside.

#include <string>
#include <vector>

#include "box/plan.hpp"
#include "box/process_view.hpp"
#include "receipt/report.hpp"

namespace pybox::box {

using Checks = std::vector<SealCheck>;

void check_mounts(const ProcessView& program, const Cuts& cuts, Checks& out);
/// Owner and mode of every input. Only where there are any.
void check_input(const ProcessView& program, const BoxPlan& plan, Checks& out);
void check_scratch(const ProcessView& program, const Limits& limits, Checks& out);

}  // namespace pybox::box
