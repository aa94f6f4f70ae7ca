#pragma once
/// What runs cost, as people read it: the table of a terminal, and summary.md.

#include <string>

#include "reports/read/bench.hpp"

namespace pybox::reports {

/// "12.34": milliseconds.
std::string millis_text(Nanos time);
/// "1.50": a ratio from thousandths.
std::string ratio_text(std::uint64_t thousandths);

/// Sentences that a reader of the figures must know, one each: what is too few, what a limit did,
/// what emulation means, why it ended early, how busy the machine was.
std::vector<std::string> bench_notes(const Bench& bench);

/// The cases grouped by engine, each with its bare interpreter, and the notes; at most 100 columns
/// but for the notes.
std::string bench_text(const Bench& bench);

std::string bench_markdown(const Bench& bench);

}  // namespace pybox::reports
