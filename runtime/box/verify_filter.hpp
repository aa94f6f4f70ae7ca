#pragma once
/// The sec.* part of the seal, from what is known of the filter in force. Pure.

#include <linux/filter.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "receipt/report.hpp"

namespace pybox::box {

struct FilterSeen {
  std::string
      in_force;  ///< Seccomp and Seccomp_filters of /proc/PID/status: "2 1" is as it must be
  /// The instructions that the kernel handed out, where it does (box/filter_readback.hpp).
  std::optional<std::vector<sock_filter>> read;
  /// What the program's process was answered under the filter (try_probes): an errno for each of
  /// seccomp_probes(), 0 when the call went through.
  std::span<const char> answers;
  std::span<const sock_filter> loaded;  ///< what PyBox gave to the kernel
};

/// One check for each sec.* name. Its evidence, best first: the verdict of the filter that was
/// read; the answers; where a call can tell nothing the verdict of PyBox's own bytes, and then the
/// method says so.
std::vector<SealCheck> filter_checks(const FilterSeen& seen);

}  // namespace pybox::box
