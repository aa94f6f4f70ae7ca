#include "boxd/capture.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace pybox::boxd {
namespace {

constexpr int kReadsAtOnce = 4;

}  // namespace

bool Capture::read_once(const std::function<void(std::string_view)>& kept) {
  static std::array<char, 256 * 1024> chunk;  // boxd has one thread
  ssize_t n = 0;
  do {
    n = ::read(fd_.get(), chunk.data(), chunk.size());
  } while (n < 0 && errno == EINTR);
  if (n < 0 && errno == EAGAIN) return false;
  if (n <= 0) {
    fd_.reset();
    return false;
  }
  const std::string_view got(chunk.data(), static_cast<std::size_t>(n));
  total_ += got.size();
  digest_.update(got);
  const std::string_view fresh = got.substr(0, std::min(got.size(), keep_.count - bytes_.size()));
  bytes_ += fresh;
  if (!fresh.empty() && kept) kept(fresh);
  return true;
}

void Capture::drain_some(const std::function<void(std::string_view)>& kept) {
  for (int i = 0; i < kReadsAtOnce && fd_.is_open(); ++i) {
    if (!read_once(kept)) return;
  }
}

void Capture::drain_rest(const std::function<void(std::string_view)>& kept) {
  while (fd_.is_open() && read_once(kept)) {
  }
  fd_.reset();
}

CapturedStream Capture::take() && {
  CapturedStream stream;
  stream.bytes = std::move(bytes_);
  stream.bytes_total = total_;
  stream.sha256 = digest_.hex();
  return stream;
}

}  // namespace pybox::boxd
