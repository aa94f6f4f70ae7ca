#pragma once
/// The report.html of a bench: one self-contained page without a script.

#include <string>

#include "campaign/model/bench.hpp"

namespace pybox::reports {

std::string bench_html(const campaign::Bench& bench);

}  // namespace pybox::reports
