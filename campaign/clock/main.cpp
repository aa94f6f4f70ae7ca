/// campaign-clock: the first process of a guest whose clock jumps. It carries a boxd behind its own
/// program, byte for byte, becomes that, and leaves a process behind that turns the clock on the
/// wall whenever a process of the guest calls itself "jump+SECONDS" or "jump-SECONDS". Only a
/// driver of the campaign puts it into a throwaway VM.

#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <set>
#include <string>

#include "base/units.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::campaign {
namespace {

constexpr const char* kSelf = "/init";
constexpr const char* kCarried = "/carried";
constexpr Bytes kLargest = 256_MiB;
constexpr std::string_view kWord = "jump";
/// Often enough for a program that waits for it, seldom enough for an emulated processor.
constexpr int kLookMillis = 50;

/// The bytes that a segment of type PT_NULL, which no loader looks at, points to.
std::string_view carried(std::string_view elf) {
  Elf64_Ehdr header;
  if (elf.size() < sizeof header) return {};
  std::memcpy(&header, elf.data(), sizeof header);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    const std::size_t at = header.e_phoff + i * sizeof part;
    if (at + sizeof part > elf.size()) return {};
    std::memcpy(&part, elf.data() + at, sizeof part);
    if (part.p_type == PT_NULL && part.p_offset < elf.size())
      return elf.substr(part.p_offset, part.p_filesz);
  }
  return {};
}

Result<void> unpack() {
  const std::string self = PYBOX_TRY(sys::read_file(kSelf, kLargest));
  const std::string_view boxd = carried(self);
  if (boxd.empty()) return Error(ErrorKind::Usage, "no boxd is carried");
  PYBOX_TRY(sys::replace_file(kCarried, boxd, 0755, sys::Durability::Unsynced));
  if (::rename(kCarried, kSelf) != 0) return Error::from_errno(errno, "taking boxd's place");
  return {};
}

/// Its own /proc and console: boxd moves to another root.
Result<sys::Fd> own_view() {
  if (::unshare(CLONE_NEWNS) != 0) return Error::from_errno(errno, "making a mount namespace");
  for (const char* type : {"proc", "devtmpfs"}) {
    const char* place = *type == 'p' ? "/proc" : "/dev";
    ::mkdir(place, 0755);
    if (::mount(type, place, type, 0, nullptr) != 0) return Error::from_errno(errno, place);
  }
  return sys::open_path("/dev/console", O_WRONLY | O_NOCTTY);
}

void jump(const sys::Fd& console, long seconds) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  now.tv_sec += seconds;
  const char* done = ::clock_settime(CLOCK_REALTIME, &now) == 0 ? "jumped" : "stuck";
  (void)sys::write_all(console.get(),
                       std::string("\npybox-clock ") + done + " " + std::to_string(seconds) + "\n")
      .has_value();
}

/// What a process asks for by its name; 0: nothing.
long asked(const std::filesystem::path& process) {
  const auto name = sys::read_file(process / "comm", 1_KiB);
  if (!name || !name->starts_with(kWord)) return 0;
  const char* from = name->data() + kWord.size() + (name->at(kWord.size()) == '+' ? 1 : 0);
  long seconds = 0;
  std::from_chars(from, name->data() + name->size(), seconds);
  return seconds;
}

[[noreturn]] void watch() {
  const Result<sys::Fd> console = own_view();
  if (!console) ::_exit(1);
  std::set<std::string> served;  // each process once
  for (;; ::poll(nullptr, 0, kLookMillis)) {
    std::error_code ignored;
    for (const auto& entry : sys::entries_of("/proc", ignored)) {
      const std::string pid = entry.filename();
      if (std::isdigit(static_cast<unsigned char>(pid[0])) == 0) continue;
      const long seconds = asked(entry);
      if (seconds != 0 && served.insert(pid).second) jump(*console, seconds);
    }
  }
}

}  // namespace
}  // namespace pybox::campaign

int main(int, char** argv) {
  namespace campaign = pybox::campaign;
  if (::getpid() != 1) {
    std::fputs("campaign-clock is the first process of a guest\n", stderr);
    return 2;
  }
  const pybox::Result<void> unpacked = campaign::unpack();
  if (!unpacked) {
    std::fprintf(stderr, "campaign-clock: %s\n", unpacked.error().message().c_str());
    return 1;
  }
  const pid_t child = ::fork();
  if (child == 0) campaign::watch();
  ::execv(campaign::kSelf, argv);
  return 1;
}
