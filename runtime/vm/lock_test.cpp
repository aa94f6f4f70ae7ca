#include "vm/lock.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "base/digest.hpp"
#include "sys/file.hpp"
#include "vm/client.hpp"
#include "vm/fake_qemu_for_tests.hpp"

namespace pybox::vm {
namespace {

/// A process that holds the life lock until it is killed or `held` is closed.
struct Holder {
  pid_t pid = -1;
  sys::Pipe ready = std::move(sys::make_pipe().value());
  explicit Holder(const sys::StateDirs& dirs) {
    pid = ::fork();
    if (pid == 0) {
      const auto lock = take_life_lock(dirs);
      const char word = lock && lock->has_value() ? 'y' : 'n';
      (void)!::write(ready.write.get(), &word, 1);
      ::pause();
      ::_exit(0);
    }
    char word = 0;
    REQUIRE(::read(ready.read.get(), &word, 1) == 1);
    REQUIRE(word == 'y');
  }
  ~Holder() {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
};

}  // namespace

TEST_CASE("nobody holds the lock of a home that never had a VM") {
  const TempHome home;
  CHECK_FALSE(life_lock_owner(home.dirs).value());
  CHECK(wait_for_release(home.dirs, Nanos{0}).value());
  CHECK(stop(home.dirs).value() == Stopped::WasNotRunning);
  CHECK_FALSE(status_of(home.dirs)->running);
}

TEST_CASE("the kernel names the holder, and a second one is turned away") {
  const TempHome home;
  const Holder holder(home.dirs);
  CHECK(life_lock_owner(home.dirs).value() == holder.pid);
  CHECK_FALSE(take_life_lock(home.dirs).value());
  CHECK_FALSE(wait_for_release(home.dirs, Millis(20)).value());
}

TEST_CASE("a holder that hangs is killed, and its leftovers are removed") {
  const TempHome home;
  {
    const Holder holder(home.dirs);
    REQUIRE(sys::ensure_private_dir(home.dirs.run));
    REQUIRE(sys::replace_file(pid_path(home.dirs), "1\n"));
    REQUIRE(kill_life_lock_owner(home.dirs));
    CHECK(wait_for_release(home.dirs, std::chrono::seconds(5)).value());
  }
  CHECK(stop(home.dirs).value() == Stopped::WasNotRunning);
  CHECK_FALSE(std::filesystem::exists(pid_path(home.dirs)));
}

TEST_CASE("a stale pid file that names a living process harms nobody") {
  const TempHome home;
  REQUIRE(sys::ensure_private_dir(home.dirs.run));
  REQUIRE(sys::replace_file(pid_path(home.dirs), std::to_string(::getpid()) + "\n"));
  CHECK(stop(home.dirs).value() == Stopped::WasNotRunning);
  CHECK_FALSE(std::filesystem::exists(pid_path(home.dirs)));
}

TEST_CASE("a start that must wait for another one says so, and then has its turn") {
  const TempHome home;
  bool waited = false;
  std::optional<sys::Fd> first = take_start_lock(home.dirs, [&] { waited = true; }).value();
  CHECK_FALSE(waited);
  const auto second = take_start_lock(home.dirs, [&] {
    waited = true;
    first.reset();
  });
  CHECK(waited);
  CHECK(second);
}

}  // namespace pybox::vm
