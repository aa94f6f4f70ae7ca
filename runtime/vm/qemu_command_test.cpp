#include "vm/qemu_command.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

namespace pybox {
namespace {

vm::Machine sample() {
  vm::Machine machine;
  machine.kernel = "/k/vmlinuz";
  machine.initramfs = "/k/initramfs";
  machine.disks = {{"sha256:0123456789abcdef0123456789", "/i/a,b.erofs"}};
  return machine;
}

std::string line_of(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += word + '\n';
  return line;
}

TEST_CASE("the command line of the run VM is known to the letter") {
  CHECK(line_of(vm::qemu_arguments(sample(), {}, vm::Start::Boot)) == R"(-nodefaults
-no-user-config
-display
none
-nic
none
-no-reboot
-sandbox
on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny
-machine
q35,usb=off,smbus=off,sata=off,vmport=off,hpet=off,graphics=off,dump-guest-core=off
-accel
tcg,thread=multi,tb-size=256
-cpu
max
-smp
2
-m
1024M
-kernel
/k/vmlinuz
-initrd
/k/initramfs
-append
console=ttyS0 quiet loglevel=3 panic=-1 no5lvl no_timer_check random.trust_cpu=on rcupdate.rcu_expedited=1 8250.nr_uarts=1 i8042.noaux i8042.nokbd audit=0 apparmor=0 selinux=0 cgroup_no_v1=all init_on_alloc=0
-chardev
socket,id=qmp,fd=3
-mon
chardev=qmp,mode=control
-chardev
socket,id=console,fd=5
-serial
chardev:console
-chardev
socket,id=link,fd=4
-device
virtio-serial-pci,id=ports,max_ports=2
-device
virtserialport,bus=ports.0,chardev=link,name=org.pybox.link
-blockdev
driver=file,node-name=image0,read-only=on,locking=off,filename=/i/a,,b.erofs
-device
virtio-blk-pci,drive=image0,serial=0123456789abcdef0123
-device
virtio-scsi-pci,id=scsi,num_queues=1
)");
}

TEST_CASE("a resumed VM differs from a booted one by waiting for its state") {
  std::vector<std::string> boot = vm::qemu_arguments(sample(), {}, vm::Start::Boot);
  const std::vector<std::string> resume = vm::qemu_arguments(sample(), {}, vm::Start::Resume);
  boot.insert(boot.end(), {"-incoming", "defer"});
  CHECK(boot == resume);
}

TEST_CASE("no word of any machine names a network, a shared folder or vsock") {
  for (const vm::Accelerator accelerator : {vm::Accelerator::Kvm, vm::Accelerator::Tcg}) {
    vm::Machine machine = sample();
    machine.accelerator = accelerator;
    const std::string line = line_of(vm::qemu_arguments(machine, {}, vm::Start::Boot));
    for (const char* word : {"netdev", "virtio-net", "e1000", "vsock", "9p", "virtiofs", "fsdev"}) {
      CHECK(line.find(word) == std::string::npos);
    }
  }
}

}  // namespace
}  // namespace pybox
