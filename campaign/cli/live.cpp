#include "campaign/cli/live.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "campaign/cli/summary.hpp"

namespace pybox::campaign {
namespace {

constexpr std::size_t kGauge = 20;

std::size_t columns_of_stderr() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

class Live final : public Watcher {
 public:
  Live(bool terminal, bool colour)
      : terminal_(terminal), colour_(colour), began_(monotonic_now()) {}
  ~Live() override {
    end_area();
    clear();
  }

  void arm(const PlannedCheck& planned, const Arm& arm, std::size_t done,
           std::size_t total) override {
    if (planned.check.area != state_.area) {
      end_area();
      state_.area = planned.check.area;
      area_began_ = monotonic_now();
      area_first_ = done;
    }
    state_.done = done;
    state_.total = total;
    state_.now = full_id(planned.check) + " " + arm.name;
    draw();
  }

  void waiting(std::string_view what) override {
    if (what.empty()) return;
    state_.now = visible(what);
    draw();
  }

  void note(std::string_view line) override {
    clear();
    cli::say("note: " + visible(line) + "\n");
    draw();
  }

  void check_ended(const CheckResult& result) override {
    if (result.verdict == Verdict::Held) return;
    clear();
    cli::say(verdict_line(result, colour_) + "\n");
    draw();
  }

 private:
  void end_area() {
    if (state_.area.empty() || terminal_) return;
    cli::say(fmt::format("{}: {} arms ({})\n", state_.area, state_.done + 1 - area_first_,
                         human_seconds(monotonic_now() - area_began_)));
  }
  void clear() const {
    if (terminal_) cli::say("\r\x1b[K");
  }
  void draw() {
    if (!terminal_ || state_.area.empty()) return;
    state_.elapsed = monotonic_now() - began_;
    // One column stays free: some terminals wrap as soon as the last one is written.
    const std::string line = live_line(state_, columns_of_stderr() - 1);
    cli::say("\r\x1b[K" + cli::styled(line, cli::Style::Cyan, colour_));
  }

  bool terminal_;
  bool colour_;
  LiveState state_;
  Nanos began_;
  Nanos area_began_{};
  std::size_t area_first_ = 0;
};

}  // namespace

std::string live_line(const LiveState& state, std::size_t columns) {
  const std::size_t filled =
      state.total == 0 ? 0 : kGauge * std::min(state.done, state.total) / state.total;
  const std::string gauge =
      "[" + std::string(filled, '#') + std::string(kGauge - filled, ' ') + "]";
  const std::string count = fmt::format("{} of {}", state.done, state.total);
  const std::string elapsed = human_seconds(state.elapsed);
  for (const std::string& line :
       {fmt::format("{}  {}  {}  {}  {}", state.area, gauge, count, elapsed, state.now),
        fmt::format("{}  {}  {}  {}", state.area, count, elapsed, state.now),
        fmt::format("{}  {}  {}", state.area, count, elapsed)}) {
    if (line.size() <= columns) return line;
  }
  return state.area.substr(0, columns);
}

std::unique_ptr<Watcher> watch_live(bool terminal, bool colour) {
  return std::make_unique<Live>(terminal, colour);
}

}  // namespace pybox::campaign
