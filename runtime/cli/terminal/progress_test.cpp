#include "cli/terminal/progress.hpp"

#include <catch2/catch_test_macros.hpp>

#include "sys/fd.hpp"

namespace pybox::cli {
namespace {

BarState at(std::uint64_t done, std::optional<std::uint64_t> total, Progress::Unit unit) {
  return {"downloading", done, total, unit, std::chrono::milliseconds(1500)};
}

/// What a drawer writes while `work` runs and is then destroyed.
template <class Work>
std::string drawn(ProgressMode mode, const Work& work,
                  Nanos line_every = std::chrono::seconds(10)) {
  sys::Pipe pipe = sys::make_pipe().value();
  {
    const auto progress = draw_progress(mode, pipe.write.get(), line_every);
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

TEST_CASE("elsewhere than on a terminal each stage is named when it begins") {
  CHECK(drawn(ProgressMode::Auto, work_a_little) == "first\na fact\nsecond\\x1b[2J\n");
}

TEST_CASE("elsewhere than on a terminal a long stage says that it goes on, and its time") {
  const std::string text = drawn(ProgressMode::Lines, work_a_little, Nanos{0});
  CHECK(text.starts_with("first\nfirst: 1 of 2, after "));
  CHECK(text.find(" s\na fact\n") != std::string::npos);
  CHECK(text.find("\nfirst (") < text.find("\nsecond\\x1b[2J\n"));
  CHECK(text.find('\r') == std::string::npos);
  CHECK(text.ends_with(" s)\n"));
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
