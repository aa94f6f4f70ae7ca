#include "sys/fd.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cerrno>

namespace pybox::sys {

TEST_CASE("what a full descriptor does not take stays pending, in order") {
  Pipe pipe = make_pipe().value();
  REQUIRE(set_nonblocking(pipe.write));
  std::string pending;
  for (int i = 0; pending.size() < (1U << 20U); ++i) pending += std::to_string(i) + " ";
  const std::string all = pending;
  REQUIRE(write_available(pipe.write.get(), pending));
  CHECK_FALSE(pending.empty());
  CHECK(pending.size() < all.size());
  std::string got;
  std::array<char, 65536> chunk;
  while (got.size() < all.size()) {
    const ssize_t n = ::read(pipe.read.get(), chunk.data(), chunk.size());
    REQUIRE(n > 0);
    got.append(chunk.data(), static_cast<std::size_t>(n));
    REQUIRE(write_available(pipe.write.get(), pending));
  }
  CHECK(got == all);
  CHECK(pending.empty());
}

TEST_CASE("a peer that went away is an error that says so") {
  ::signal(SIGPIPE, SIG_IGN);
  Pipe pipe = make_pipe().value();
  pipe.read.reset();
  std::string pending = "x";
  const Result<void> written = write_available(pipe.write.get(), pending);
  REQUIRE_FALSE(written);
  CHECK(written.error().errno_code() == EPIPE);
  CHECK(pending == "x");
}

}  // namespace pybox::sys
