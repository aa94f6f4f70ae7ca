#include "sys/state_dirs.hpp"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox::sys {
namespace {

namespace fs = std::filesystem;

/// Starts each case from an environment that holds HOME alone.
void only_home() {
  for (const char* name : {"PYBOX_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"}) {
    ::unsetenv(name);
  }
  ::setenv("HOME", "/users/ada", 1);
}

}  // namespace

TEST_CASE("HOME alone is enough") {
  only_home();
  const auto dirs = state_dirs();
  REQUIRE(dirs);
  CHECK(dirs->home == "/users/ada/.local/share/pybox");
  CHECK(dirs->run == "/users/ada/.local/share/pybox/run");
  CHECK(dirs->config == "/users/ada/.config/pybox/config.json");
  CHECK(dirs->keys() == "/users/ada/.local/share/pybox/keys");
  CHECK(dirs->receipts() == "/users/ada/.local/share/pybox/receipts");
}

TEST_CASE("XDG variables move what they name") {
  only_home();
  const fs::path runtime = fs::temp_directory_path() / ("run-" + random_hex(6));
  fs::create_directory(runtime);
  ::setenv("XDG_DATA_HOME", "/data", 1);
  ::setenv("XDG_CONFIG_HOME", "/config", 1);
  ::setenv("XDG_RUNTIME_DIR", runtime.c_str(), 1);
  const auto dirs = state_dirs();
  fs::remove(runtime);
  REQUIRE(dirs);
  CHECK(dirs->home == "/data/pybox");
  CHECK(dirs->config == "/config/pybox/config.json");
  CHECK(dirs->run == runtime / "pybox");
}

TEST_CASE("relative and empty XDG paths count as unset") {
  only_home();
  for (const char* value : {"data", "", "./data", "~/data"}) {
    ::setenv("XDG_DATA_HOME", value, 1);
    ::setenv("XDG_CONFIG_HOME", value, 1);
    ::setenv("XDG_RUNTIME_DIR", value, 1);
    const auto dirs = state_dirs();
    REQUIRE(dirs);
    CHECK(dirs->home == "/users/ada/.local/share/pybox");
    CHECK(dirs->config == "/users/ada/.config/pybox/config.json");
    CHECK(dirs->run == "/users/ada/.local/share/pybox/run");
  }
}

TEST_CASE("a runtime folder that is absent or another user's is not used") {
  only_home();
  ::setenv("XDG_RUNTIME_DIR", "/nonexistent/run", 1);
  CHECK(state_dirs()->run == "/users/ada/.local/share/pybox/run");
  if (::geteuid() != 0) {
    ::setenv("XDG_RUNTIME_DIR", "/", 1);  // root's
    CHECK(state_dirs()->run == "/users/ada/.local/share/pybox/run");
  }
}

TEST_CASE("PYBOX_HOME moves the sockets too, and may be relative") {
  only_home();
  ::setenv("XDG_RUNTIME_DIR", "/tmp", 1);
  ::setenv("PYBOX_HOME", "/srv/box/", 1);
  CHECK(state_dirs()->run == "/srv/box/run");
  ::setenv("PYBOX_HOME", "box/../here", 1);
  CHECK(state_dirs()->home == fs::current_path() / "here");
  ::setenv("PYBOX_HOME", "", 1);
  CHECK(state_dirs()->home == "/users/ada/.local/share/pybox");
}

TEST_CASE("without HOME and PYBOX_HOME the error says what to set") {
  only_home();
  for (const char* home : {"", "relative"}) {
    ::setenv("HOME", home, 1);
    const auto dirs = state_dirs();
    REQUIRE_FALSE(dirs);
    CHECK(dirs.error().message() == "neither HOME nor PYBOX_HOME names a folder");
    CHECK(dirs.error().hint() ==
          "set HOME to your home folder, or PYBOX_HOME to a folder for PyBox");
    ::setenv("PYBOX_HOME", "/srv/box", 1);
    CHECK(state_dirs()->config == "/srv/box/config.json");
    ::unsetenv("PYBOX_HOME");
  }
}

TEST_CASE("state folders are made for their owner alone, whatever the umask") {
  const fs::path top = fs::temp_directory_path() / ("state-" + random_hex(6));
  const mode_t before = ::umask(0);
  CHECK(ensure_private_dir(top / "a" / "b"));
  ::umask(before);
  struct stat info {};
  for (const fs::path& folder : {top, top / "a", top / "a" / "b"}) {
    REQUIRE(::stat(folder.c_str(), &info) == 0);
    CHECK((info.st_mode & 07777U) == 0700U);
  }
  CHECK(remove_tree(top));
}

}  // namespace pybox::sys
