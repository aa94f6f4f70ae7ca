#pragma once
/// The builder VM: a machine for one job, with a network device and nothing kept.
///
/// Theory of operation: QEMU runs as a tool on a leash, its console on its standard output. The
/// guest boots with pybox itself as first process (kBuilderInit, builder/guest.hpp); job and
/// settings are files of the initramfs, the image is a read-only disk, the result is written to a
/// second disk, which is a sparse file of the host's. When the job has ended the guest powers off
/// and QEMU ends. Its network is QEMU's user-mode one: it can reach what the host's user can reach,
/// and nobody can reach it.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "store/kernel.hpp"
#include "vm/config.hpp"

namespace pybox::builder {

struct BuilderVmPlan {
  vm::Accelerator accelerator = vm::Accelerator::Tcg;
  store::GuestKernel kernel;
  std::filesystem::path image;  ///< image.erofs
  std::filesystem::path initramfs;
  std::filesystem::path result;  ///< exists, as large as a result may be
};

/// What the guest finds besides init and modules.
struct BuilderGuestFiles {
  std::map<std::string, std::string> job;       ///< /job/NAME, copied to /tmp/in/NAME
  std::map<std::string, std::string> settings;  ///< /settings/NAME
  std::vector<std::string> argv;                ///< what to start in the image
};

/// Without argv[0].
std::vector<std::string> qemu_arguments(const BuilderVmPlan& plan);

/// `self`: pybox, which becomes the guest's init.
Result<std::string> builder_initramfs(const std::filesystem::path& self,
                                      const store::GuestKernel& kernel,
                                      const BuilderGuestFiles& files);

/// What names the result in the guest.
constexpr std::string_view kResultInVm = "/dev/result";

}  // namespace pybox::builder
