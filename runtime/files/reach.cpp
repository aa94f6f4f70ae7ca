#include "files/reach.hpp"

#include <fcntl.h>

#include "sys/syscalls.hpp"

namespace pybox::files {
namespace {

int look(int folder, const char* name, struct stat* info) {
  return ::fstatat(folder, name, info, AT_SYMLINK_NOFOLLOW);
}

int open_confined(int folder, const char* name, int flags) {
  return sys::openat2(
      folder, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
      RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV);
}

}  // namespace

const Reach kConfined{look, open_confined};

}  // namespace pybox::files
