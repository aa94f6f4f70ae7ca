#include "base/crashpoint.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace pybox::crash {
namespace {

constexpr const char* kPoints[] = {
#include "base/crashpoints.inc"
};

constexpr std::string_view kWord = "crash_";
constexpr std::size_t kNameSize = 64;

/// In memory shared with every process of the box and, through a file, with whoever looks on.
struct Page {
  char struck[kNameSize];
  char unlisted[kNameSize];  ///< a point that was passed and that kPoints lacks
};

struct State {
  const char* role = "client";
  char armed[kNameSize] = {};
  unsigned passes_left = 0;
  Page* page = nullptr;
  pid_t owner = 0;
  bool guest = false;
  bool told = false;
  bool looked = false;
};
State state;

void open_page(const std::string& home) {
  void* place = MAP_FAILED;
  if (home.empty()) {
    place =
        ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  } else {
    const int fd = ::open((home + "/crashpoint").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && ::ftruncate(fd, sizeof(Page)) == 0)
      place = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0) ::close(fd);
  }
  if (place != MAP_FAILED) state.page = static_cast<Page*>(place);
}

/// "NAME" or "NAME:N" ('_' instead of ':' in an order).
void arm(std::string_view words, char separator, const std::string& home) {
  const std::size_t end = words.rfind(separator);
  const std::string_view name = words.substr(0, end);
  const int n =
      end == std::string_view::npos ? 1 : std::atoi(std::string(words.substr(end + 1)).c_str());
  if (name.empty() || name.size() >= kNameSize) return;
  std::memcpy(state.armed, name.data(), name.size());
  state.armed[name.size()] = '\0';
  state.passes_left = n > 0 ? static_cast<unsigned>(n) : 1;
  state.owner = ::getpid();
  state.told = false;
  state.guest = home.empty();
  open_page(home);
}

void look_at_environment() {
  if (state.looked) return;
  state.looked = true;
  const char* words = std::getenv("PYBOX_CRASHPOINT");
  const char* home = std::getenv("PYBOX_HOME");
  if (words != nullptr && home != nullptr) arm(words, ':', home);
}

/// Without allocation: this also runs between clone and exec.
bool full_name(const char* name, char (&out)[kNameSize]) {
  const std::size_t role = std::strlen(state.role);
  const std::size_t size = std::strlen(name);
  if (role + 1 + size >= kNameSize) return false;
  std::memcpy(out, state.role, role);
  out[role] = '.';
  std::memcpy(out + role + 1, name, size + 1);
  return true;
}

bool is_listed(const char* full) {
  for (const char* point : kPoints) {
    if (std::strcmp(point, full) == 0) return true;
  }
  return false;
}

}  // namespace

void act_as(const char* role) { state.role = role; }

void reach(const char* name) {
  look_at_environment();
  char full[kNameSize];
  if (state.page == nullptr || !full_name(name, full)) return;
  if (!is_listed(full)) std::memcpy(state.page->unlisted, full, kNameSize);
  if (std::strcmp(full, state.armed) != 0) return;
  // Once only: a boxd whose keeper died makes further boxes, and their keepers are its copies.
  if (state.page->struck[0] != '\0' || --state.passes_left > 0) return;
  std::memcpy(state.page->struck, full, kNameSize);
  if (state.guest && ::getpid() == state.owner) tell();
  ::kill(::getpid(), SIGKILL);
  ::_exit(128 + SIGKILL);  // the first process of a namespace cannot be killed from within
}

std::string word_for_order() {
  look_at_environment();
  if (state.armed[0] == '\0') return {};
  return std::string(kWord) + state.armed + "_" + std::to_string(state.passes_left);
}

void arm_from_order(const std::vector<std::string>& leave_out, const std::string& home) {
  for (const std::string& word : leave_out) {
    if (!word.starts_with(kWord)) continue;
    arm(std::string_view(word).substr(kWord.size()), '_', home);
    state.looked = true;
  }
}

void take_words_out(std::vector<std::string>& leave_out) {
  std::erase_if(leave_out, [](const std::string& word) { return word.starts_with(kWord); });
}

void tell() {
  if (!state.guest || state.told || state.page == nullptr || state.page->struck[0] == '\0') return;
  state.told = true;
  ::dprintf(2, "crash point %s struck\n", state.page->struck);
}

void list() {
  for (const char* point : kPoints) std::puts(point);
}

}  // namespace pybox::crash
