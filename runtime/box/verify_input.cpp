#include <fcntl.h>
#include <sys/stat.h>

#include <set>

#include "box/cgroup_files.hpp"
#include "box/verify_mounts.hpp"

namespace pybox::box {
namespace {

/// Every file and folder of the inputs, as paths below /proc/PID.
std::set<std::string> places(std::span<const InputFile> inputs) {
  const std::string root = "root/tmp/input";
  std::set<std::string> all{root};
  for (const InputFile& file : inputs) {
    const std::string path = root + "/" + file.name;
    for (std::size_t end = path.find('/', root.size() + 1);; end = path.find('/', end + 1)) {
      all.insert(path.substr(0, end));
      if (end == std::string::npos) break;
    }
  }
  return all;
}

}  // namespace

void check_input(const ProcessView& program, const BoxPlan& plan, Checks& out) {
  const std::set<std::string> all = places(plan.inputs);
  std::size_t right = 0;
  for (const std::string& path : all) {
    struct stat info {};
    if (::fstatat(program.fd(), path.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const mode_t wanted = S_ISDIR(info.st_mode) ? (S_IFDIR | 0555) : (S_IFREG | 0444);
    if (info.st_mode == wanted && info.st_uid == plan.ids.keeper_outside) ++right;
  }
  const std::string total = std::to_string(all.size());
  out.push_back(compare("fs.input", total + " of " + total + " the keeper's, 0444 or 0555",
                        std::to_string(right) + " of " + total + " the keeper's, 0444 or 0555",
                        "stat of each in /proc/PID/root/tmp/input"));
}

}  // namespace pybox::box
