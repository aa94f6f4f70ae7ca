#include "vm/console_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "sys/file.hpp"

namespace pybox::vm {
namespace {

constexpr std::size_t kTail = 4096;
constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW;

}  // namespace

Result<ConsoleLog> ConsoleLog::open(std::filesystem::path file, Bytes limit) {
  sys::Fd fd = PYBOX_TRY(sys::open_path(file, kFlags, 0600));
  struct stat status {};
  const std::uint64_t size =
      ::fstat(fd.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  return ConsoleLog(std::move(file), limit, std::move(fd), size);
}

void ConsoleLog::append(std::string_view bytes) {
  if (listener_) listener_(bytes);
  tail_ += bytes;
  if (tail_.size() > kTail) tail_.erase(0, tail_.size() - kTail);
  if (size_ + bytes.size() > limit_.count) turn_over();
  bytes = bytes.substr(0, limit_.count);
  if (!fd_.is_open() || !sys::write_all(fd_.get(), bytes)) return;
  size_ += bytes.size();
}

void ConsoleLog::turn_over() {
  std::error_code error;
  std::filesystem::rename(file_, file_.string() + ".old", error);
  fd_.reset();
  size_ = 0;
  if (auto fd = sys::open_path(file_, kFlags, 0600)) fd_ = std::move(fd).value();
}

}  // namespace pybox::vm
