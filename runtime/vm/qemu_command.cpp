#include "vm/qemu_command.hpp"

#include <cstddef>

namespace pybox::vm {
namespace {

constexpr std::size_t kSerialSize = 20;

/// What every word is for:
///  quiet, loglevel  printing to an emulated serial port costs seconds of a boot
///  panic=-1         a panic reboots, which -no-reboot turns into the end of QEMU
///  no5lvl           page walks of four levels instead of five
///  no_timer_check, tsc=reliable, random.trust_cpu, i8042.*, 8250.*  skip probes of absent hardware
///  rcu_expedited    moving processes between cgroups and unmounting wait for grace periods
///  cgroup_no_v1     the guest serves on cgroup v2 alone
/// Mitigations stay on: boxes share this kernel.
constexpr std::string_view kKernelWords =
    "console=ttyS0 quiet loglevel=3 panic=-1 no5lvl no_timer_check random.trust_cpu=on "
    "rcupdate.rcu_expedited=1 8250.nr_uarts=1 i8042.noaux i8042.nokbd audit=0 apparmor=0 "
    "selinux=0 cgroup_no_v1=all init_on_alloc=0";

/// In QEMU's option syntax a comma ends a value unless doubled.
std::string escaped(const std::string& value) {
  std::string out;
  for (const char c : value) out.append(c == ',' ? 2 : 1, c);
  return out;
}

std::string accelerator_words(Accelerator accelerator) {
  return accelerator == Accelerator::Kvm ? "kvm" : "tcg,thread=multi,tb-size=256";
}

/// `max`: current numpy wheels need x86-64-v2 or more, which QEMU's default model lacks.
std::string cpu_model(Accelerator accelerator) {
  return accelerator == Accelerator::Kvm ? "host" : "max";
}

void add_socket(std::vector<std::string>& words, const std::string& id, int fd) {
  words.insert(words.end(), {"-chardev", "socket,id=" + id + ",fd=" + std::to_string(fd)});
}

void add_disk(std::vector<std::string>& words, const ImageDisk& disk, std::size_t number) {
  const std::string node = "image" + std::to_string(number);
  // No locking: the file is never written again, and several VMs may read it.
  words.insert(
      words.end(),
      {"-blockdev",
       "driver=file,node-name=" + node + ",read-only=on,locking=off,filename=" + escaped(disk.file),
       "-device", "virtio-blk-pci,drive=" + node + ",serial=" + serial_of(disk.image_id)});
}

}  // namespace

std::string_view name_of(Accelerator accelerator) {
  return accelerator == Accelerator::Kvm ? "kvm" : "tcg";
}

std::string serial_of(std::string_view image_id) {
  const std::size_t colon = image_id.find(':');
  return std::string(image_id.substr(colon == std::string_view::npos ? 0 : colon + 1, kSerialSize));
}

std::vector<std::string> qemu_arguments(const Machine& machine, const QemuFds& fds, Start start) {
  std::vector<std::string> words = {
      "-nodefaults", "-no-user-config", "-display", "none", "-nic", "none", "-no-reboot",
      "-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny",
      "-machine",
      "q35,usb=off,smbus=off,sata=off,vmport=off,hpet=off,graphics=off,dump-guest-core=off",
      "-accel", accelerator_words(machine.accelerator), "-cpu", cpu_model(machine.accelerator),
      "-smp", std::to_string(machine.cpus),
      // QEMU rounds down to its page size; the settings promise bytes.
      "-m", std::to_string(machine.memory.count >> 20U) + "M", "-kernel", machine.kernel, "-initrd",
      machine.initramfs, "-append", std::string(kKernelWords)};
  add_socket(words, "qmp", fds.qmp);
  words.insert(words.end(), {"-mon", "chardev=qmp,mode=control"});
  add_socket(words, "console", fds.console);
  words.insert(words.end(), {"-serial", "chardev:console"});
  add_socket(words, "link", fds.link);
  words.insert(words.end(), {"-device", "virtio-serial-pci,id=ports,max_ports=2", "-device",
                             "virtserialport,bus=ports.0,chardev=link,name=org.pybox.link"});
  for (std::size_t i = 0; i < machine.disks.size(); ++i) add_disk(words, machine.disks[i], i);
  // Empty: images made while the VM runs are plugged in here.
  words.insert(words.end(), {"-device", "virtio-scsi-pci,id=scsi,num_queues=1"});
  if (start == Start::Resume) words.insert(words.end(), {"-incoming", "defer"});
  return words;
}

}  // namespace pybox::vm
