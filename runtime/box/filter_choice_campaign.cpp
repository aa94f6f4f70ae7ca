/// Only in boxd-campaign: filters with a named protection left out.

#include <linux/audit.h>
#include <sys/syscall.h>

#include <cstddef>

#include "box/filter_choice.hpp"

namespace pybox::box {
namespace {

constexpr std::uint32_t kArchAt = offsetof(seccomp_data, arch);
constexpr std::uint32_t kNumberAt = offsetof(seccomp_data, nr);

sock_filter load(std::uint32_t at) { return {BPF_LD | BPF_W | BPF_ABS, 0, 0, at}; }

/// If the loaded word equals `value`, allow; else go on.
void allow_if(std::vector<sock_filter>& program, std::uint32_t value) {
  program.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value});
  program.push_back({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW});
}

std::vector<sock_filter> without(const Cuts& cuts, std::span<const sock_filter> filter) {
  std::vector<sock_filter> program;
  if (cuts.left_out("sec.arch")) {
    program.push_back(load(kArchAt));
    allow_if(program, static_cast<std::uint32_t>(AUDIT_ARCH_I386));
    allow_if(program, static_cast<std::uint32_t>(AUDIT_ARCH_ARM));
  }
  program.push_back(load(kNumberAt));
  for (const RefusedCall& call : refused_calls()) {
    if (cuts.left_out(call.protection)) allow_if(program, static_cast<std::uint32_t>(call.number));
  }
  program.insert(program.end(), filter.begin(), filter.end());
  return program;
}

}  // namespace

FilterChoice::FilterChoice(const Cuts& cuts)
    : with_memfd_(without(cuts, seccomp_filter(true))),
      without_memfd_(without(cuts, seccomp_filter(false))) {}

}  // namespace pybox::box
