#pragma once
/// What runs cost, as people read it: the table of a terminal, and summary.md.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/model/bench.hpp"

namespace pybox::reports {

/// "12.34": milliseconds.
std::string millis_text(Nanos time);
/// "1.50": a ratio from thousandths.
std::string ratio_text(std::int64_t thousandths);

/// What sealing added: "+12.34 ms [+12.01, +12.70]".
std::string added_text(const campaign::BenchCase& each);
/// "1.50x [1.45, 1.58]"
std::string times_text(const campaign::BenchCase& each);

/// One kind of run of a case, in the columns of every table.
struct BenchRow {
  std::string run;  ///< "bare" or "sealed"
  std::array<std::string, 4> cells;
};
inline constexpr std::array<std::string_view, 4> kBenchColumns = {"pairs", "p50", "p95", "p99"};
std::vector<BenchRow> bench_rows(const campaign::BenchCase& each);

/// Sentences that a reader of the figures must know, one each: what is too few, what emulation
/// means, why it ended early, how busy the machine was.
std::vector<std::string> bench_notes(const campaign::Bench& bench);

/// The cases grouped by engine, each with its bare interpreter, and the notes; at most 100 columns
/// but for the notes.
std::string bench_text(const campaign::Bench& bench);

/// The same for summary.md, with where it was measured and how to check it.
std::string bench_markdown(const campaign::Bench& bench);

}  // namespace pybox::reports
