#include "vm/qemu_command.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

namespace pybox::vm {
namespace {

QemuPlan sample() {
  QemuPlan plan;
  plan.arch = Arch::X86;
  plan.memory = 1024_MiB;
  plan.cpus = 2;
  plan.vmlinuz = "/h/vm/kernel/vmlinuz";
  plan.initramfs = "/h/vm/initramfs.cpio";
  plan.base_image = "/h/images/stdlib/image.erofs";
  plan.base_serial = "0123456789abcdef0123";
  return plan;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (word.starts_with('-') ? "\n" : " ") + word;
  return text.substr(1) + "\n";
}

}  // namespace

TEST_CASE("the command line of an emulated machine is exactly this") {
  CHECK(joined(qemu_arguments(sample())) ==
        R"(-nodefaults
-no-user-config
-no-reboot
-display none
-sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny
-machine q35,usb=off,smbus=off,sata=off,vmport=off,graphics=off,dump-guest-core=off
-accel tcg,thread=multi,tb-size=256
-cpu max
-smp 2
-m 1024M
-kernel /h/vm/kernel/vmlinuz
-initrd /h/vm/initramfs.cpio
-append console=ttyS0 quiet loglevel=4 panic=-1 oops=panic audit=0 apparmor=0 no5lvl tsc=reliable random.trust_cpu=on
-chardev socket,id=console,fd=3
-serial chardev:console
-chardev socket,id=qmp,fd=4
-mon chardev=qmp,mode=control
-nic none
-chardev socket,id=link,fd=5
-device virtio-serial-pci,id=ports,max_ports=2
-device virtserialport,bus=ports.0,chardev=link,name=org.pybox.link
-blockdev driver=file,node-name=base,read-only=on,filename=/h/images/stdlib/image.erofs
-device virtio-blk-pci,drive=base,serial=0123456789abcdef0123
-device virtio-scsi-pci,id=scsi,num_queues=1
)");
}

TEST_CASE("KVM takes the host's processor") {
  QemuPlan plan = sample();
  plan.accelerator = Accelerator::Kvm;
  const auto words = qemu_arguments(plan);
  const auto after = [&](const char* option) {
    return *(std::find(words.begin(), words.end(), option) + 1);
  };
  CHECK(after("-accel") == "kvm");
  CHECK(after("-cpu") == "host");
}

TEST_CASE("no machine has a network device, a shared folder or vsock") {
  for (const Arch arch : {Arch::X86, Arch::Arm64}) {
    QemuPlan plan = sample();
    plan.arch = arch;
    const std::string text = joined(qemu_arguments(plan));
    CHECK(text.find("-nic none\n") != std::string::npos);
    for (const char* word : {"-netdev", "-net ", "virtio-net", "e1000", "vsock", "9p", "virtfs",
                             "virtiofs", "vhost", "-usb", "vfio"}) {
      CHECK(text.find(word) == std::string::npos);
    }
  }
}

TEST_CASE("a comma in the image's path does not end the option") {
  QemuPlan plan = sample();
  plan.base_image = "/h,x/image.erofs";
  CHECK(joined(qemu_arguments(plan)).find("filename=/h,,x/image.erofs\n") != std::string::npos);
}

TEST_CASE("a disk's serial is the beginning of its image's digest") {
  CHECK(serial_of("sha256:" + std::string(64, 'a')) == std::string(20, 'a'));
}

}  // namespace pybox::vm
