#include "builder/vm.hpp"

#include <sys/stat.h>

#include "builder/guest.hpp"
#include "sys/file.hpp"
#include "vm/initramfs.hpp"
#include "vm/qemu_command.hpp"

namespace pybox::builder {
namespace {

constexpr Bytes kLargestFile = 256_MiB;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + "\n";
  return text;
}

}  // namespace

std::vector<std::string> qemu_arguments(const BuilderVmPlan& plan) {
  vm::QemuPlan machine;
  machine.accelerator = plan.accelerator;
  machine.memory = kBuilderMemory;
  machine.cpus = 2;
  machine.vmlinuz = plan.kernel.vmlinuz;
  machine.initramfs = plan.initramfs;
  machine.kernel_words = " rdinit=" + std::string(kBuilderInit);
  std::vector<std::string> arguments = vm::machine_arguments(machine);
  // clang-format off
  const std::vector<std::string> devices = {
      "-netdev", "user,id=net,ipv6=off",
      "-device", "virtio-net-pci,netdev=net,romfile=",
      "-blockdev", "driver=file,node-name=image,read-only=on,filename=" + vm::option_path(plan.image),
      "-device", "virtio-blk-pci,drive=image,serial=image",
      "-blockdev", "driver=file,node-name=result,discard=unmap,filename=" + vm::option_path(plan.result),
      "-device", "virtio-blk-pci,drive=result,serial=result",
  };
  // clang-format on
  arguments.insert(arguments.end(), devices.begin(), devices.end());
  return arguments;
}

Result<std::string> builder_initramfs(const std::filesystem::path& self,
                                      const store::GuestKernel& kernel,
                                      const BuilderGuestFiles& files) {
  std::vector<vm::ArchiveEntry> entries;
  const std::string init =
      PYBOX_TRY_CONTEXT(sys::read_file(self, kLargestFile), "reading the builder's init");
  entries.push_back(
      {std::string(kBuilderInit.substr(1)), S_IFREG | 0755, std::string(vm::loadable_part(init))});
  for (const char* folder : {"job", "settings"}) entries.push_back({folder, S_IFDIR | 0755, {}});
  PYBOX_TRY(vm::add_modules(entries, kernel.builder_modules));
  entries.push_back({"argv", S_IFREG | 0644, joined(files.argv)});
  for (const auto& [name, content] : files.job)
    entries.push_back({"job/" + name, S_IFREG | 0644, content});
  for (const auto& [name, content] : files.settings)
    entries.push_back({"settings/" + name, S_IFREG | 0644, content});
  return vm::write_archive(entries);
}

}  // namespace pybox::builder
