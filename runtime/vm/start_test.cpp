#include "vm/start.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::vm {

TEST_CASE("an error crosses the start pipe with kind, message and hint") {
  const Error back = failure_from(failure_line(
      Error(ErrorKind::Refused, "no image").context("starting").hint("run `pybox setup`")));
  CHECK(back.kind() == ErrorKind::Refused);
  CHECK(back.message() == "starting: no image");
  CHECK(back.hint() == "run `pybox setup`");
}

TEST_CASE("what an error says cannot break the line") {
  const std::string line = failure_line(Error(ErrorKind::Io, "a\nready\tb"));
  CHECK(line.find('\n') == std::string::npos);
  CHECK(failure_from(line).message() == "a\\x0aready\\x09b");
}

TEST_CASE("a cut line is still an error") {
  for (const char* line : {"", "io", "io\t", "\t\t", "unheard\tof"}) {
    CHECK_FALSE(name_of(failure_from(line).kind()).empty());
  }
}

TEST_CASE("a starter passes on what the supervisor says, in pieces too, until it is ready") {
  sys::Pipe pipe = sys::make_pipe().value();
  std::string heard;
  StartWatcher watcher;
  watcher.stage = [&](std::string_view text) { heard += "[" + std::string(text) + "]"; };
  watcher.notice = [&](std::string_view text) { heard += "(" + std::string(text) + ")"; };
  SupervisorWords words(std::move(pipe.read), watcher);
  const Error lost(ErrorKind::HostCannot, "it ended");
  REQUIRE(
      sys::write_all(pipe.write.get(), "stage booting the guest\nnotice no KVM\nready\nstage st"));
  CHECK(words.until_ready(lost));
  CHECK(heard == "[booting the guest](no KVM)");
  REQUIRE(sys::write_all(pipe.write.get(), "opping\n"));
  words.pass_on();
  CHECK(heard.ends_with("[stopping]"));
  REQUIRE(
      sys::write_all(pipe.write.get(), "failed " + failure_line({ErrorKind::Io, "disk"}) + "\n"));
  CHECK(words.until_ready(lost).error().message() == "disk");
  pipe.write.reset();
  CHECK(words.until_ready(lost).error().message() == "it ended");
}

TEST_CASE("a starter that is told to stop waits no longer") {
  sys::Pipe pipe = sys::make_pipe().value();
  sys::Pipe cancel = sys::make_pipe().value();
  const StartWatcher watcher;
  SupervisorWords words(std::move(pipe.read), watcher, cancel.read.get());
  cancel.write.reset();
  CHECK(words.until_ready({ErrorKind::Io, "it ended"}).error().kind() == ErrorKind::Interrupted);
}

}  // namespace pybox::vm
