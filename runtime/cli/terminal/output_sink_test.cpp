#include "cli/terminal/output_sink.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "base/text.hpp"
#include "cli/terminal/capture_for_tests.hpp"
#include "sys/fd.hpp"

namespace pybox::cli {

TEST_CASE("a character cut by the border of two pieces stays a character") {
  VisibleStream stream;
  CHECK(stream.feed("gr\xc3") == "gr");
  CHECK(stream.feed("\xbc\xc3\x9f \xf0\x9f") == "üß ");
  CHECK(stream.feed("\x90\x8d\x1b[2J\n") == "🐍\\x1b[2J\n");
  CHECK(stream.finish().empty());
}

TEST_CASE("every split of a text shows the same") {
  const std::string text = "a\x1b[0m\xc2\x9b\xe2\x80\xae grüß \xff\xc3 😀\r\n\xf0\x9f";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    VisibleStream stream;
    std::string shown = stream.feed(text.substr(0, cut));
    shown += stream.feed(text.substr(cut));
    CHECK(shown + stream.finish() == visible(text, Lines::Keep));
  }
}

TEST_CASE("what never became a character is shown at the end") {
  VisibleStream stream;
  CHECK(stream.feed("a\xe4\xbd") == "a");
  CHECK(stream.finish() == "\\xe4\\xbd");
}

TEST_CASE("output that does not reach a terminal passes byte for byte") {
  const std::string bytes("\x1b[2J\0\xff\r\n", 8);
  Captured captured;
  {
    OutputSink sink(Terminal{}, -1);
    sink.write(1, bytes);
    sink.write(2, "err");
    sink.write(1, std::string(100000, 'x'));
    sink.finish();
    CHECK_FALSE(sink.line_is_open());
  }
  captured.stop();
  CHECK(captured.out() == bytes + std::string(100000, 'x'));
  CHECK(captured.err() == "err");
}

TEST_CASE("on a terminal control characters are visible and an open line is known") {
  Terminal terminal;
  terminal.out_is_terminal = true;
  Captured captured;
  OutputSink sink(terminal, -1);
  sink.write(1, "a\x1b[2J\n");
  const bool after_line = sink.line_is_open();
  sink.write(1, "b\xc3");
  sink.write(2, "raw\x1b");
  sink.finish();
  captured.stop();
  CHECK_FALSE(after_line);
  CHECK(sink.line_is_open());
  CHECK(captured.out() == "a\\x1b[2J\nb\\xc3");
  CHECK(captured.err() == "raw\x1b");
}

TEST_CASE("a reader that went away costs the rest of its stream and nothing else") {
  Captured captured;
  auto pipe = sys::make_pipe();
  REQUIRE(::dup2(pipe->write.get(), 1) == 1);
  pipe->write.reset();
  pipe->read.reset();
  OutputSink sink(Terminal{}, -1);
  sink.write(1, "lost");
  sink.write(1, "lost too");
  sink.write(2, "kept");
  sink.finish();
  captured.stop();
  CHECK(captured.err() == "kept");
}

TEST_CASE("a cancelled run does not wait for a reader that does not read") {
  auto cancel = sys::make_pipe();
  auto full = sys::make_pipe();
  REQUIRE(sys::write_all(cancel->write.get(), "x"));
  ::fcntl(full->write.get(), F_SETPIPE_SZ, 4096);
  Captured captured;
  REQUIRE(::dup2(full->write.get(), 1) == 1);
  OutputSink sink(Terminal{}, cancel->read.get());
  sink.write(1, std::string(1000000, 'x'));  // would block for ever
  captured.stop();
  SUCCEED("it came back");
}

}  // namespace pybox::cli
