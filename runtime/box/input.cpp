/// /tmp/input, written by the keeper before the program may start.
///
/// Writing, renaming and removing must fail with EACCES or EPERM, which Python reports as
/// PermissionError. So it is the files' owner and modes that answer (the keeper's; files 0444,
/// folders 0555). A read-only mount would answer first, and with EROFS; any mount of its own would
/// let a rename to another place fail with EXDEV. Where boxd has one id only, the program is the
/// owner and may change the modes of its copy (docs/limits.md).

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "box/inside.hpp"

namespace pybox::box {
namespace {

constexpr std::size_t kPathRoom = 1025;  ///< above files::kLongestPath

/// Calls `make` with each folder on the way to `path`, then with `path` itself.
template <class Make>
void each_step(const InsideWork& work, const std::string& path, Make make) {
  std::array<char, kPathRoom> step;
  if (path.size() >= step.size()) {
    errno = ENAMETOOLONG;
    give_up(work.fds.keeper_socket, "naming an input");
  }
  for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
    const std::size_t size = std::min(end, path.size());
    std::copy_n(path.data(), size, step.data());
    step[size] = '\0';
    const bool last = end == std::string::npos;
    make(step.data(), last);
    if (last) return;
  }
}

void write_file(const InsideWork& work, int input, const char* name, const InputFile& file) {
  const bool open_mode = work.plan->cuts.left_out("fs.input");
  const int fd = ::openat(input, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC,
                          open_mode ? 0666 : 0444);
  if (fd < 0) give_up(work.fds.keeper_socket, "creating an input file");
  for (std::size_t done = 0; done < file.bytes.size();) {
    const ssize_t n = ::write(fd, file.bytes.data() + done, file.bytes.size() - done);
    if (n < 0) give_up(work.fds.keeper_socket, "writing an input file");
    done += static_cast<std::size_t>(n);
  }
  ::close(fd);
}

}  // namespace

void fill_input(const InsideWork& work, int input) {
  const mode_t folder_mode = work.plan->cuts.left_out("fs.input") ? 0777 : 0555;
  for (const InputFile& file : work.plan->inputs) {
    each_step(work, file.name, [&](const char* path, bool last) {
      if (last && file.kind == InputFile::Kind::File) return write_file(work, input, path, file);
      // The keeper still has the right to write into folders of mode 0555.
      if (::mkdirat(input, path, folder_mode) != 0 && errno != EEXIST)
        give_up(work.fds.keeper_socket, "making an input folder");
    });
  }
}

}  // namespace pybox::box
