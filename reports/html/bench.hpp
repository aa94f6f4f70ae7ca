#pragma once
/// The report.html of a bench: one self-contained page without a script.

#include <string>

#include "reports/read/bench.hpp"

namespace pybox::reports {

/// `series`: the samples behind the figures, by case.
std::string bench_html(const Bench& bench, const BenchSeries& series);

}  // namespace pybox::reports
