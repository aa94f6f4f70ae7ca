#include "mcp/outbox.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "base/clock.hpp"
#include "mcp/log.hpp"

namespace pybox::mcp {

TEST_CASE("a reader that does not read is noticed, and never waited for") {
  ::signal(SIGPIPE, SIG_IGN);  // as prepare_process() does
  const bool socket = GENERATE_COPY(false, true);
  sys::Fd read;
  sys::Fd write;
  if (socket) {
    auto pair = sys::make_socket_pair().value();
    read = std::move(pair.first);
    write = std::move(pair.second);
  } else {
    auto pipe = sys::make_pipe().value();
    read = std::move(pipe.read);
    write = std::move(pipe.write);
  }
  const int flags = ::fcntl(write.get(), F_GETFL);
  sys::Fd kept(::dup(write.get()));
  Outbox outbox(std::move(write));
  outbox.send(std::string(4'000'000, 'x'), Nanos(5));
  CHECK_FALSE(outbox.empty());
  CHECK(outbox.waiting_since() == Nanos(5));
  CHECK(::fcntl(kept.get(), F_GETFL) == flags);  // the caller's descriptor is as it was
  // What is read makes room, and moves the clock.
  std::string got(1 << 20, 0);
  REQUIRE(::read(read.get(), got.data(), got.size()) > 0);
  outbox.flush(Nanos(9));
  CHECK(outbox.waiting_since() == Nanos(9));
  read.reset();
  outbox.flush(Nanos(10));
  CHECK(outbox.broken());
  CHECK(outbox.empty());
}

TEST_CASE("a full stderr does not hold the server up, and lost lines are counted") {
  auto pipe = sys::make_pipe().value();
  Log log(pipe.write.get());
  for (int i = 0; i < 1000; ++i) log.line(std::string(2000, 'x') + "\x1b");
  std::string got(1 << 20, 0);
  REQUIRE(::read(pipe.read.get(), got.data(), got.size()) > 0);
  log.line("after");
  const auto n = ::read(pipe.read.get(), got.data(), got.size());
  REQUIRE(n > 0);
  const std::string_view last(got.data(), static_cast<std::size_t>(n));
  CHECK(last.starts_with("pybox mcp: after ("));
  CHECK(last.find("lines were not read)") != std::string_view::npos);
}

}  // namespace pybox::mcp
