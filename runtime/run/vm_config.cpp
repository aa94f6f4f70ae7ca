#include "run/vm_config.hpp"

#include <cstdlib>

#include "base/text.hpp"
#include "engine/boxd_path.hpp"
#include "store/kernel.hpp"
#include "store/registry.hpp"
#include "sys/state_dirs.hpp"
#include "vm/qemu_command.hpp"

namespace pybox::run {
namespace {

constexpr std::string_view kBaseImage = "stdlib";
constexpr std::string_view kBasePython = "3.13";

Result<vm::Disk> disk_of(const store::Image& image) {
  return vm::Disk{image.id, image.erofs, PYBOX_TRY(store::hold_image(image))};
}

Result<vm::Disk> find_disk(const sys::StateDirs& dirs, std::string_view image_id) {
  for (const store::Listed& listed : store::list_images(dirs)) {
    if (listed.image && listed.image->id == image_id) return disk_of(*listed.image);
  }
  return Error(ErrorKind::Refused, "there is no image " + visible(image_id))
      .hint("`pybox image list` shows what there is");
}

}  // namespace

Result<vm::AcceleratorChoice> accelerator_choice(const char* variable, const Settings& settings) {
  const bool set = variable != nullptr && *variable != '\0';
  const std::string name = set ? variable : settings.vm_accelerator.value_or("auto");
  if (name == "auto") return vm::AcceleratorChoice::Auto;
  if (name == "kvm") return vm::AcceleratorChoice::Kvm;
  if (name == "tcg") return vm::AcceleratorChoice::Tcg;
  return Error(ErrorKind::Usage, std::string(set ? "PYBOX_VM_ACCELERATOR" : "`vm_accelerator`") +
                                     " names `" + visible(name) + "`; it must be auto, kvm or tcg");
}

Result<vm::Config> vm_config() {
  vm::Config config;
  config.dirs = PYBOX_TRY(sys::state_dirs());
  const Settings settings = PYBOX_TRY(load_settings(config.dirs.config));
  config.accelerator = PYBOX_TRY(accelerator_choice(std::getenv("PYBOX_VM_ACCELERATOR"), settings));
  config.memory = settings.vm_memory.value_or(config.memory);
  config.cpus = settings.vm_cpus.value_or(config.cpus);
  store::GuestKernel kernel = PYBOX_TRY(store::find_kernel(config.dirs));
  config.kernel_id = std::move(kernel.id);
  config.vmlinuz = std::move(kernel.vmlinuz);
  config.modules = std::move(kernel.modules);
  auto base = store::find_image(config.dirs, kBaseImage, kBasePython);
  // Nobody asked for this image by name: without it this host cannot start a VM.
  if (!base) return std::move(base).error().as(ErrorKind::HostCannot);
  config.base = PYBOX_TRY(disk_of(*base));
  config.qemu = PYBOX_TRY(vm::find_qemu());
  config.boxd = PYBOX_TRY(engine::find_boxd());
  config.find_disk = [dirs = config.dirs](std::string_view id) { return find_disk(dirs, id); };
  return config;
}

}  // namespace pybox::run
