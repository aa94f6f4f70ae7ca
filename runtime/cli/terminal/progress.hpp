#pragma once
/// Draws progress on stderr: one overprinted line on a terminal (stage, percent or bytes, elapsed);
/// elsewhere a plain line when a stage begins, every `line_every` while it lasts, and when it ends
/// if it took a tenth of that. NO_COLOR (any non-empty value) turns colour off; TERM=dumb counts as
/// no terminal.

#include <chrono>
#include <memory>
#include <string>

#include "base/progress.hpp"
#include "base/units.hpp"

namespace pybox::cli {

enum class ProgressMode {
  Auto,  ///< Bar when the descriptor is a terminal, else Lines
  Bar,
  Lines,
  Quiet,  ///< notes only
};

/// The one line of a bar, at most `columns` wide, without control characters; pure, for tests.
struct BarState {
  std::string stage;
  std::uint64_t done = 0;
  std::optional<std::uint64_t> total;
  Progress::Unit unit = Progress::Unit::Count;
  Nanos elapsed{};
};
std::string bar_line(const BarState& state, std::size_t columns);

/// The drawer; its destructor ends the last stage and leaves the cursor on a fresh line.
std::unique_ptr<Progress> draw_progress(ProgressMode mode, int fd = 2,
                                        Nanos line_every = std::chrono::seconds(10));

/// Gives what `work(Progress&)` gives, with its progress drawn and ended before anything else is
/// said.
template <class Work>
auto with_progress(ProgressMode mode, Work work) {
  const std::unique_ptr<Progress> progress = draw_progress(mode);
  return work(*progress);
}

}  // namespace pybox::cli
