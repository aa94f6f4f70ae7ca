#include "boxd/prefault.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>

#include "sys/file.hpp"

namespace pybox::guest {
namespace {

namespace fs = std::filesystem;

bool is_needed(const std::string& name) {
  return name.ends_with(".pyc") || name.find(".so") != std::string::npos ||
         name.starts_with("python3");
}

/// Python's own tests are a third of its library and no program imports them.
bool is_skipped(const fs::path& folder) { return folder.filename() == "test"; }

std::uint64_t read_through(const fs::path& file) {
  static std::array<char, 256 * 1024> dropped;
  const auto opened = sys::open_path(file, O_RDONLY | O_NOFOLLOW);
  if (!opened) return 0;
  std::uint64_t total = 0;
  for (;;) {
    const ssize_t n = ::read(opened->get(), dropped.data(), dropped.size());
    if (n <= 0) return total;
    total += static_cast<std::uint64_t>(n);
  }
}

}  // namespace

Bytes prefault(const fs::path& root, Bytes limit) {
  Bytes total;
  std::error_code error;
  auto at = fs::recursive_directory_iterator(root / "usr", error);
  while (!error && at != fs::end(at) && total < limit) {
    if (at->is_directory(error) && !at->is_symlink(error)) {
      if (is_skipped(at->path())) at.disable_recursion_pending();
    } else if (at->is_regular_file(error) && !at->is_symlink(error) &&
               is_needed(at->path().filename())) {
      total.count += read_through(at->path());
    }
    at.increment(error);
  }
  return total;
}

}  // namespace pybox::guest
