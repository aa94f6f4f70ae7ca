#pragma once
/// The native builder: a box on this host with its own mounts, processes, ids and hostname, no
/// right left and the boxes' system call filter, whose network alone is the host's.
///
/// Theory of operation: run_in_builder() starts pybox itself with the hidden word kBuilderBox, as a
/// tool on a leash. That process takes new namespaces (as an ordinary user a user namespace first)
/// and forks; the child, PID 1 in there, mounts the box's root, moves into it, gives up everything
/// and executes Python. When it ends, the kernel ends whatever it started. The parent only waits
/// and passes on the exit code. Nothing of the host's file system is left in the child's view but
/// the image (read-only), the scratch folder and three files of ours.

#include <sys/types.h>

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sys/process.hpp"

namespace pybox::builder {

/// The word that makes pybox a builder box; not in any help. main() looks for it.
constexpr std::string_view kBuilderBox = "builder-box";

struct BuilderBoxPlan {
  std::filesystem::path rootfs;   ///< the image's tree
  std::filesystem::path scratch;  ///< becomes /tmp
  /// Holds kSettingFiles; owned by the caller.
  std::filesystem::path settings;
  uid_t outside = 0;              ///< who the builder is outside; the owner of `scratch`
  std::vector<std::string> argv;  ///< inside
};

/// The plan as words after the program's name, and back. Error kind Usage.
std::vector<std::string> words_of(const BuilderBoxPlan& plan);
Result<BuilderBoxPlan> builder_box_plan(const std::vector<std::string>& words);

/// main() of that process. Exit code 120, with a line on stderr, when there is no box.
constexpr int kNoBuilderBox = 120;
int run_builder_box(const std::vector<std::string>& words);

/// Gives up every right for good and loads the filter; the last thing before exec. Also what the
/// builder VM's first process does. Preconditions: one thread, root in its user namespace or, with
/// `id` its own, without one.
Result<void> drop_everything(uid_t id);

/// Executes the job's program, with an empty environment and no descriptor above 2; or says why
/// not.
Error execute(const std::vector<std::string>& words);

/// The builder's own settings: each file's name in the settings folder, and its place in the image.
inline constexpr std::array<std::pair<const char*, const char*>, 3> kSettingFiles = {
    {{"resolv.conf", "etc/resolv.conf"},
     {"nsswitch.conf", "etc/nsswitch.conf"},
     {"certificates.pem", "etc/ssl/certs/ca-certificates.crt"}}};

}  // namespace pybox::builder
