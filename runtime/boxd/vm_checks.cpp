#include "boxd/vm_checks.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/text.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::boxd {
namespace {

std::string names_in(const char* folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const std::filesystem::path& entry : sys::entries_of(folder, ignored)) {
    names.push_back(entry.filename());
  }
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

std::string shared_mounts() {
  const Result<std::string> mounts = sys::read_file("/proc/self/mounts");
  if (!mounts) return "unreadable";
  std::string found;
  for (std::string_view lines = *mounts; !lines.empty();) {
    std::string_view fields = take_line(lines);
    take_word(fields);
    const std::string_view point = take_word(fields);
    const std::string_view type = take_word(fields);
    for (const char* shared : {"9p", "virtiofs", "nfs", "nfs4", "cifs", "fuse"}) {
      if (type == shared) found.append(found.empty() ? "" : " ").append(point);
    }
  }
  return found;
}

SealCheck check(const char* name, std::string expected, std::string observed, const char* method) {
  const bool ok = expected == observed;
  return {name, std::move(expected), std::move(observed), ok, method};
}

}  // namespace

std::vector<SealCheck> check_vm() {
  const bool vsock =
      std::filesystem::exists("/dev/vsock") || std::filesystem::exists("/sys/module/vsock");
  return {check("vm.nonic", "lo", names_in("/sys/class/net"), "/sys/class/net in the guest"),
          check("vm.novsock", "absent", vsock ? "present" : "absent",
                "/dev/vsock and /sys/module/vsock"),
          check("vm.noshare", "", shared_mounts(), "/proc/self/mounts in the guest")};
}

}  // namespace pybox::boxd
