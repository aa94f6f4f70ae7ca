#include "cli/terminal/progress.hpp"

#include <catch2/catch_test_macros.hpp>

#include "base/clock.hpp"
#include "sys/fd.hpp"

namespace pybox::cli {
namespace {

BarState at(std::uint64_t done, std::optional<std::uint64_t> total, Progress::Unit unit) {
  return {"downloading", done, total, unit, std::chrono::milliseconds(1500)};
}

/// What a drawer writes while `work` runs and is then destroyed.
template <class Work>
std::string drawn(ProgressMode mode, const Work& work) {
  sys::Pipe pipe = sys::make_pipe().value();
  {
    const auto progress = draw_progress(mode, pipe.write.get());
    work(*progress);
  }
  pipe.write.reset();
  return sys::read_to_end(pipe.read.get(), 65536).value();
}

void work_a_little(Progress& progress) {
  progress.stage("first");
  progress.advance(1, 2, Progress::Unit::Count);
  progress.note("a fact");
  progress.stage("second\x1b[2J");
}

}  // namespace

TEST_CASE("a bar shows share, amount and time, and gives up what does not fit") {
  const BarState half = at(512, 1024, Progress::Unit::Bytes);
  CHECK(bar_line(half, 100) ==
        "downloading  [##########          ]  50 %  512 B of 1 KiB  1.500 s");
  CHECK(bar_line(half, 60) == "downloading  [##########          ]  50 %  1.500 s");
  CHECK(bar_line(half, 30) == "downloading  1.500 s");
  CHECK(bar_line(half, 4) == "down");
  CHECK(bar_line(at(3, std::nullopt, Progress::Unit::Count), 80) == "downloading  3  1.500 s");
  CHECK(bar_line(at(0, 0, Progress::Unit::Count), 80) == "downloading  0 of 0  1.500 s");
  CHECK(bar_line(at(9, 3, Progress::Unit::Count), 80) ==
        "downloading  [####################] 100 %  3 of 3  1.500 s");
}

TEST_CASE(
    "elsewhere than on a terminal a stage says that it begins, and how long a long one took") {
  const std::string text = drawn(ProgressMode::Auto, work_a_little);
  CHECK(text.find('\r') == std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text == "first...\na fact\nsecond\\x1b[2J...\n");
  const auto fetch = [](Progress& progress) {
    progress.stage("fetching");
    progress.advance(1024, 2048, Progress::Unit::Bytes);
    progress.stage("");
  };
  CHECK(drawn(ProgressMode::Lines, fetch).starts_with("fetching...\nfetching (1 KiB, "));
  const auto wait = [](Progress& progress) {
    progress.stage("waiting");
    const Nanos until = monotonic_now() + std::chrono::seconds(1);
    while (monotonic_now() < until) progress.tick();
  };
  CHECK(drawn(ProgressMode::Lines, wait).starts_with("waiting...\nwaiting (1."));
}

TEST_CASE("a bar overprints its line and ends on a fresh one") {
  const std::string text = drawn(ProgressMode::Bar, work_a_little);
  CHECK(text.find("\r\x1b[K") != std::string::npos);
  CHECK(text.find("a fact\n") != std::string::npos);
  CHECK(text.find("\x1b[2J") == std::string::npos);
  CHECK(text.ends_with("\n"));
}

TEST_CASE("quiet progress still hands over facts") {
  CHECK(drawn(ProgressMode::Quiet, work_a_little) == "a fact\n");
}

}  // namespace pybox::cli
