#include "vm/qemu_command.hpp"

#include "link/frame.hpp"
#include "sys/runner.hpp"
#include "sys/tools.hpp"

namespace pybox::vm {
namespace {

/// q35 with its legacy devices off. Not microvm: without HPET and PM timer the kernel cannot find
/// out the TSC's rate on a loaded host under TCG, and then hangs (docs/adr).
std::string machine_words(Arch arch) {
  if (arch == Arch::Arm64) return "virt,gic-version=max,dump-guest-core=off";
  return "q35,usb=off,smbus=off,sata=off,vmport=off,graphics=off,dump-guest-core=off";
}

std::string accelerator_words(Accelerator accelerator) {
  if (accelerator == Accelerator::Kvm) return "kvm";
  // 256 MiB of translated code instead of a default that grows with the guest (1 GiB).
  return "tcg,thread=multi,tb-size=256";
}

/// TCG: `max` is as fast as any other model (those of Intel make the guest isolate its page tables)
/// and has what numpy's wheels need (x86-64-v2).
std::string cpu_words(Accelerator accelerator) {
  return accelerator == Accelerator::Kvm ? "host" : "max";
}

std::string kernel_words(Arch arch) {
  const std::string console = arch == Arch::Arm64 ? "ttyAMA0" : "ttyS0";
  // A guest kernel that broke ends the VM (panic=-1 with -no-reboot) instead of limping on.
  std::string words =
      "console=" + console + " quiet loglevel=4 panic=-1 oops=panic audit=0 apparmor=0";
  // The watchdog misjudges the TSC of an emulated or descheduled processor.
  if (arch == Arch::X86) words += " no5lvl tsc=reliable random.trust_cpu=on";
  return words;
}

std::string descriptor(const char* id, int number) {
  return "socket,id=" + std::string(id) + ",fd=" + std::to_string(number);
}

}  // namespace

std::string serial_of(std::string_view image_id) {
  constexpr std::size_t kSerialSize = 20;
  return std::string(image_id.substr(image_id.find(':') + 1).substr(0, kSerialSize));
}

std::string qemu_program() {
  return kHostArch == Arch::Arm64 ? "qemu-system-aarch64" : "qemu-system-x86_64";
}

Result<std::filesystem::path> find_qemu() {
  PYBOX_TRY(sys::require_tools({qemu_program()}));
  return *sys::find_program(qemu_program());
}

std::string option_path(const std::filesystem::path& path) {
  std::string text;
  for (const char c : path.string()) text += c == ',' ? ",," : std::string(1, c);
  return text;
}

std::vector<std::string> machine_arguments(const QemuPlan& plan) {
  // clang-format off
  return {
      "-nodefaults", "-no-user-config", "-no-reboot",
      "-display", "none",
      "-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny",
      "-machine", machine_words(plan.arch),
      "-accel", accelerator_words(plan.accelerator),
      "-cpu", cpu_words(plan.accelerator),
      "-smp", std::to_string(plan.cpus),
      "-m", std::to_string(plan.memory.count >> 20U) + "M",
      "-kernel", plan.vmlinuz.string(),
      "-initrd", plan.initramfs.string(),
      "-append", kernel_words(plan.arch) + plan.kernel_words,
      "-chardev", descriptor("console", kConsoleFd),
      "-serial", "chardev:console",
      "-chardev", descriptor("qmp", kQmpFd),
      "-mon", "chardev=qmp,mode=control",
  };
  // clang-format on
}

namespace {

std::vector<std::string> device_arguments(const QemuPlan& plan) {
  // clang-format off
  return {
      "-nic", "none",
      "-chardev", descriptor("link", kLinkFd),
      "-device", "virtio-serial-pci,id=ports,max_ports=2",
      "-device", "virtserialport,bus=ports.0,chardev=link,name=" + std::string(link::kGuestPort),
      "-blockdev", "driver=file,node-name=base,read-only=on,filename=" + option_path(plan.base_image),
      "-device", "virtio-blk-pci,drive=base,serial=" + plan.base_serial,
      "-device", "virtio-scsi-pci,id=scsi,num_queues=1",
  };
  // clang-format on
}

}  // namespace

std::vector<std::string> qemu_arguments(const QemuPlan& plan) {
  std::vector<std::string> all = machine_arguments(plan);
  const std::vector<std::string> devices = device_arguments(plan);
  all.insert(all.end(), devices.begin(), devices.end());
  if (!plan.first_disk.empty()) {
    all.insert(all.end(),
               {"-blockdev", "driver=file,node-name=first,filename=" + option_path(plan.first_disk),
                "-device", "virtio-blk-pci,drive=first,serial=first"});
  }
  return all;
}

}  // namespace pybox::vm
