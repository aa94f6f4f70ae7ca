/// The look at whether a process outside finds a box's files at its own root. A program writes a
/// file into its /tmp. Where the root of a process outside the box shows that file, the canary is
/// written behind its text; after every round in which the box's own processes showed it, the word
/// "looked".

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string_view>

#include "campaign/world/planted.hpp"

namespace pybox::campaign {
namespace {

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

/// "pid:[4026531836]"; empty when unreadable.
std::string pid_namespace(int process) {
  std::array<char, 64> text{};
  const ssize_t n = ::readlinkat(process, "ns/pid", text.data(), text.size());
  return n > 0 ? std::string(text.data(), static_cast<std::size_t>(n)) : "";
}

constexpr int kToAnswer = O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
enum class Times { Once, Often };

/// False when it was not added: the text is half-written, too long, or, for `Once`, has the line.
bool add_line(const sys::Fd& file, const std::string& line, Times times) {
  std::array<char, 256> held{};
  const ssize_t n = ::pread(file.get(), held.data(), held.size(), 0);
  if (n <= 0 || n == static_cast<ssize_t>(held.size())) return false;
  const std::string_view text(held.data(), static_cast<std::size_t>(n));
  if (!text.ends_with('\n')) return false;
  if (times == Times::Once && text.find(line) != std::string_view::npos) return false;
  const std::string whole = line + "\n";
  return ::write(file.get(), whole.data(), whole.size()) == static_cast<ssize_t>(whole.size());
}

sys::Fd open_process(int proc, const char* name) {
  return sys::Fd(::openat(proc, name, O_PATH | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace

void Planted::watch_roots() {
  proc_ = sys::Fd(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat root {};
  if (!proc_.is_open() || ::stat("/", &root) != 0) return;
  root_ = {root.st_dev, root.st_ino};
  pid_namespace_ = pid_namespace(open_process(proc_.get(), "self").get());
  knock_ = "tmp/knock-" + canary_.substr(0, 8);
  if (!pid_namespace_.empty()) ask_.text("knock", "/" + knock_);
}

void Planted::look_at_roots() {
  if (pid_namespace_.empty()) return;
  const std::unique_ptr<DIR, CloseDir> all(::fdopendir(::dup(proc_.get())));
  if (!all) return;
  ::rewinddir(all.get());
  sys::Fd inside;
  while (const dirent* entry = ::readdir(all.get())) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    // Nearly every process has the root that this one began with; those cost one call.
    struct stat root {};
    const std::string path = std::string(entry->d_name) + "/root";
    if (::fstatat(proc_.get(), path.c_str(), &root, 0) != 0 ||
        std::pair{root.st_dev, root.st_ino} == root_) {
      continue;
    }
    const sys::Fd process = open_process(proc_.get(), entry->d_name);
    sys::Fd knock(::openat(process.get(), ("root/" + knock_).c_str(), kToAnswer));
    if (!knock.is_open()) continue;
    // A box's processes have a pid namespace of their own.
    if (pid_namespace(process.get()) != pid_namespace_) {
      inside = std::move(knock);
    } else if (add_line(knock, text_of("roots"), Times::Once)) {
      ++noticed_["roots"];
    }
  }
  if (inside.is_open()) add_line(inside, "looked", Times::Often);
}

}  // namespace pybox::campaign
