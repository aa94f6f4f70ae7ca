#pragma once
/// The builder VM: a machine for one job, with a network device and nothing kept.
///
/// Theory of operation: QEMU is a child of ours and dies with us (vm/qemu_process.hpp); what its
/// guest prints is followed and kept in a log. The guest boots with pybox itself as first process
/// (kBuilderInit, builder/guest.hpp); job and settings are files of the initramfs, the image is a
/// read-only disk, the result is written to a second disk, which is a sparse file of the host's.
/// When the job has ended the guest powers off and QEMU ends. Its network is QEMU's user-mode one:
/// it can reach what the host's user can reach, and nobody can reach it.

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "store/kernel.hpp"
#include "sys/runner.hpp"
#include "vm/config.hpp"
#include "vm/launch.hpp"

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

/// One job in a builder VM, tried again where vm/accelerate.hpp says so.
struct BuilderVmOrder {
  sys::StateDirs dirs;
  vm::AcceleratorChoice accelerator = vm::AcceleratorChoice::Auto;
  BuilderVmPlan plan;                         ///< its accelerator is chosen here
  std::function<Result<void>()> make_result;  ///< an empty `plan.result`, before each try
  /// Before each try: who hears each line of the console.
  std::function<std::function<void(std::string_view line)>()> follow;
  Nanos patience{};  ///< for the job
};

/// How the VM ended and what its guest printed, at most 4 MiB. Errors: no QEMU, or the VM was lost
/// before the job had begun; the job took longer than `patience`; the host's disk is full.
Result<sys::ToolResult> run_builder_vm(const BuilderVmOrder& order, Progress& progress,
                                       const vm::LaunchHost& host = {});

/// With this every line of a builder begins that is for PyBox.
constexpr std::string_view kBuilderMark = "pybox-builder: ";

/// What the guest's console and QEMU said, of this home's builder VMs.
std::filesystem::path builder_console_path(const sys::StateDirs& dirs);

/// What names the result in the guest.
constexpr std::string_view kResultInVm = "/dev/result";

}  // namespace pybox::builder
