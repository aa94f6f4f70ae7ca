#include "sys/file_digest.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/digest.hpp"

namespace pybox::sys {

Result<std::string> digest_of_open(const sys::Fd& fd, const std::string& name,
                                   const std::function<void(std::uint64_t)>& count) {
  Sha256 digest;
  std::array<char, 1U << 16U> chunk;
  for (;;) {
    const ssize_t n = ::read(fd.get(), chunk.data(), chunk.size());
    if (n == 0) return digest.hex();
    if (n < 0 && errno != EINTR) return Error::from_errno(errno, "reading " + name);
    if (n <= 0) continue;
    digest.update({chunk.data(), static_cast<std::size_t>(n)});
    count(static_cast<std::uint64_t>(n));
  }
}

}  // namespace pybox::sys
