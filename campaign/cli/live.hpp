#pragma once
/// What a person sees while a campaign runs: on a terminal one line that is drawn over (area, done
/// of total, elapsed, what runs now), elsewhere a plain line when an area is done. Verdicts that
/// matter stay as lines of their own.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/units.hpp"
#include "campaign/model/plan.hpp"
#include "campaign/run/runner.hpp"
#include "cli/terminal/terminal.hpp"

namespace pybox::campaign {

struct LiveState {
  std::string area;
  std::string now;  ///< "net.loopback@native control"
  std::size_t done = 0;
  std::size_t total = 0;
  Nanos elapsed{};
};
/// At most `columns` wide: "restrictions  [####      ]  12 of 96  8.100 s  net.loopback@native
/// control".
std::string live_line(const LiveState& state, std::size_t columns);

std::unique_ptr<Watcher> watch_live(bool terminal, bool colour);

/// What a world tells while it opens, shown by a watcher.
class OpeningProgress final : public Progress {
 public:
  explicit OpeningProgress(Watcher& watcher) : watcher_(watcher) {}
  void stage(std::string_view name) override { watcher_.waiting(name); }
  void advance(std::uint64_t, std::optional<std::uint64_t>, Unit) override {}
  void note(std::string_view line) override { watcher_.note(line); }

 private:
  Watcher& watcher_;
};

}  // namespace pybox::campaign
