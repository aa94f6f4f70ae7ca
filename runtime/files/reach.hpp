#pragma once
/// How a collector looks at and opens what lies in a folder that a hostile program filled. A value,
/// so that the campaign's control arm can bring one that follows links.

#include <sys/stat.h>

namespace pybox::files {

struct Reach {
  /// As fstatat(2) of one component; -1 and errno.
  int (*look)(int folder, const char* name, struct stat* info);
  /// As open(2) of one component, close-on-exec; -1 and errno.
  int (*open)(int folder, const char* name, int flags);
};

/// Follows no link, symbolic or magic, leaves the folder neither upwards nor through a mount (man 2
/// openat2), waits for no FIFO.
extern const Reach kConfined;

}  // namespace pybox::files
