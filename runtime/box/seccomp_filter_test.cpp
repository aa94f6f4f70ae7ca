#include "box/seccomp_filter.hpp"

#include <linux/audit.h>
#include <sys/syscall.h>

#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <set>
#include <string>

namespace pybox::box {
namespace {

std::string answer(long number, std::uint64_t a0 = 0, std::uint64_t a1 = 0, std::uint64_t a2 = 0,
                   bool memfd = true) {
  seccomp_data call{};
  call.nr = static_cast<int>(number);
  call.arch = AUDIT_ARCH_X86_64;
  call.args[0] = a0;
  call.args[1] = a1;
  call.args[2] = a2;
  return verdict_name(verdict(seccomp_filter(memfd), call));
}

}  // namespace

TEST_CASE("the filter answers every probe as its protection promises") {
  for (const bool memfd : {true, false}) {
    for (const SeccompProbe& probe : seccomp_probes()) {
      INFO(probe.protection << " " << probe.shown);
      CHECK(verdict(seccomp_filter(memfd), probe.call) == probe.expected);
    }
  }
}

TEST_CASE("what Python needs goes through") {
  for (const long number :
       {SYS_read, SYS_write, SYS_openat, SYS_mmap, SYS_execve, SYS_wait4, SYS_futex, SYS_getrandom,
        SYS_epoll_wait, SYS_pidfd_open, SYS_exit_group}) {
    INFO(number);
    CHECK(answer(number) == "allow");
  }
  CHECK(answer(SYS_clone, 0x3d0f00) == "allow");  // a thread
  CHECK(answer(SYS_socket, 1, 1 | 02000000) == "allow");
  CHECK(answer(SYS_socket, 2, 1) == "allow");
  CHECK(answer(SYS_ioctl, 0, 0x5401) == "allow");
  CHECK(answer(SYS_mknodat, 0, 0, 0x1000) == "allow");
}

TEST_CASE("arguments the kernel truncates cannot smuggle a refused call through") {
  CHECK(answer(SYS_ioctl, 0, 0x1'0000'5412ULL) == "EPERM");
  CHECK(answer(SYS_socket, 0x1'0000'0028ULL, 1) == "EPERM");
  CHECK(answer(SYS_personality, 0x1'0040'0000ULL) == "EPERM");
  CHECK(answer(SYS_mknodat, 0, 0, 0x2000) == "EPERM");  // a device
}

TEST_CASE("calls newer than the policy, and the x32 ABI, are refused") {
  CHECK(answer(9999) == "EPERM");
  CHECK(answer(0x40000000 | 39) == "kill");
}

TEST_CASE("memory files are allowed only with the pid namespace's refusal to execute them") {
  CHECK(answer(SYS_memfd_create, 0, 0, 0, true) == "allow");
  CHECK(answer(SYS_memfd_create, 0, 0, 0, false) == "EPERM");
}

TEST_CASE("every sec.* protection of the contract has a probe") {
  std::set<std::string> probed;
  for (const SeccompProbe& probe : seccomp_probes()) probed.insert(probe.protection);
  CHECK(probed == std::set<std::string>{"sec.arch", "sec.bpf", "sec.iouring", "sec.keys",
                                        "sec.kmod", "sec.memfd", "sec.misc", "sec.mount", "sec.ns",
                                        "sec.perf", "sec.ptrace", "sec.sock", "sec.time", "sec.tty",
                                        "sec.uffd"});
}

TEST_CASE("a program the interpreter does not know counts as a kill, never as a pass") {
  const sock_filter strange[] = {{BPF_ALU | BPF_MUL | BPF_K, 0, 0, 2},
                                 {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  const sock_filter endless[] = {{BPF_JMP | BPF_JA, 0, 0, 5}};
  const seccomp_data call{};
  CHECK(verdict_name(verdict(strange, call)) == "kill");
  CHECK(verdict_name(verdict(endless, call)) == "kill");
  CHECK(verdict_name(verdict({}, call)) == "kill");
}

}  // namespace pybox::box
