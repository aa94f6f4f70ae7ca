#include "cli/terminal/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "sys/fd.hpp"

namespace pybox::cli {
namespace {

constexpr std::size_t kGauge = 20;
constexpr Nanos kRedrawEvery = std::chrono::milliseconds(100);

std::string measure(const BarState& state) {
  const auto amount = [&](std::uint64_t n) {
    return state.unit == Progress::Unit::Bytes ? human_size(Bytes{n}) : std::to_string(n);
  };
  if (state.total)
    return amount(std::min(state.done, *state.total)) + " of " + amount(*state.total);
  return state.done != 0 ? amount(state.done) : "";
}

/// "[#####               ]  25 %"
std::string gauge(const BarState& state) {
  if (!state.total || *state.total == 0) return "";
  const double share =
      static_cast<double>(std::min(state.done, *state.total)) / static_cast<double>(*state.total);
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kGauge));
  std::string percent = std::to_string(static_cast<int>(share * 100.0));
  percent.insert(0, 3 - std::min<std::size_t>(3, percent.size()), ' ');
  return "[" + std::string(filled, '#') + std::string(kGauge - filled, ' ') + "] " + percent + " %";
}

bool environment_says(const char* name, std::string_view value) {
  const char* found = std::getenv(name);
  return found != nullptr && found == value;
}

std::size_t columns_of(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

/// What a stage leaves behind: its name, how much it moved, how long it took.
std::string ended_line(const BarState& state) {
  const std::string amount = state.unit == Progress::Unit::Bytes && state.done != 0
                                 ? human_size(Bytes{state.done}) + ", "
                                 : "";
  return state.stage + " (" + amount + human_seconds(state.elapsed) + ")\n";
}

/// What a log says of a stage that goes on: its name, how far it is, since when.
std::string going_on_line(const BarState& state) {
  const std::string amount = measure(state);
  return state.stage + ": " + (amount.empty() ? "" : amount + ", ") + "after " +
         human_seconds(state.elapsed) + "\n";
}

class Drawer final : public Progress {
 public:
  Drawer(ProgressMode mode, bool colour, int fd, Nanos line_every)
      : mode_(mode), colour_(colour), fd_(fd), line_every_(line_every) {}
  ~Drawer() override { end_stage(); }

  void stage(std::string_view name) override {
    end_stage();
    state_ = {};
    state_.stage = visible(name);
    began_ = monotonic_now();
    drawn_ = mode_ == ProgressMode::Lines ? began_ : Nanos{0};
    if (mode_ == ProgressMode::Lines && !state_.stage.empty()) return write(state_.stage + "\n");
    draw();
  }
  void advance(std::uint64_t done, std::optional<std::uint64_t> total, Unit unit) override {
    state_.done = done;
    state_.total = total;
    state_.unit = unit;
    draw();
  }
  void tick() override { draw(); }
  void note(std::string_view line) override {
    write((mode_ == ProgressMode::Bar ? "\r\x1b[K" : "") + visible(line, Lines::Keep) + "\n");
    if (mode_ == ProgressMode::Bar) drawn_ = Nanos{0};
    draw();
  }

 private:
  void end_stage() {
    if (state_.stage.empty()) return;
    state_.elapsed = monotonic_now() - began_;
    if (mode_ == ProgressMode::Bar) write("\r\x1b[K" + ended_line(state_));
    // In a log only where somebody may have waited for it.
    const bool waited = state_.elapsed >= line_every_ / 10;
    if (mode_ == ProgressMode::Lines && waited) write(ended_line(state_));
    state_ = {};
  }
  void draw() {
    const Nanos now = monotonic_now();
    const Nanos pause = mode_ == ProgressMode::Bar ? kRedrawEvery : line_every_;
    if (mode_ == ProgressMode::Quiet || state_.stage.empty() || now - drawn_ < pause) return;
    drawn_ = now;
    state_.elapsed = now - began_;
    if (mode_ == ProgressMode::Lines) return write(going_on_line(state_));
    // One column stays free: some terminals wrap as soon as the last one is written.
    const std::string line = bar_line(state_, columns_of(fd_) - 1);
    write("\r\x1b[K" + (colour_ ? "\x1b[36m" + line + "\x1b[0m" : line));
  }
  /// Progress is a courtesy: where it cannot be written, the work goes on.
  void write(const std::string& text) const { (void)sys::write_all(fd_, text); }

  ProgressMode mode_;
  bool colour_;
  int fd_;
  Nanos line_every_;
  BarState state_;
  Nanos began_{};
  Nanos drawn_{};
};

}  // namespace

std::string bar_line(const BarState& state, std::size_t columns) {
  const std::string bar = gauge(state);
  const std::string amount = measure(state);
  const std::string elapsed = human_seconds(state.elapsed);
  const auto joined = [](std::initializer_list<std::string_view> parts) {
    std::string line;
    for (const std::string_view part : parts) {
      if (!part.empty()) line += (line.empty() ? "" : "  ") + std::string(part);
    }
    return line;
  };
  for (const std::string& line :
       {joined({state.stage, bar, amount, elapsed}), joined({state.stage, bar, elapsed}),
        joined({state.stage, elapsed})}) {
    if (line.size() <= columns) return line;
  }
  return std::string(cut_at_character(std::string_view(state.stage).substr(0, columns)));
}

std::unique_ptr<Progress> draw_progress(ProgressMode mode, int fd, Nanos line_every) {
  if (mode == ProgressMode::Auto) {
    const bool terminal = ::isatty(fd) != 0 && !environment_says("TERM", "dumb");
    mode = terminal ? ProgressMode::Bar : ProgressMode::Lines;
  }
  const char* no_color = std::getenv("NO_COLOR");
  const bool colour = no_color == nullptr || *no_color == '\0';
  return std::make_unique<Drawer>(mode, colour, fd, line_every);
}

}  // namespace pybox::cli
