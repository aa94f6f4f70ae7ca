#pragma once
/// The programs that are timed: small, without input, each with the output it must have.

#include <span>
#include <string_view>

namespace pybox::campaign {

struct Workload {
  std::string_view image;
  std::string_view name;    ///< unique in its image
  std::string_view text;    ///< the whole program
  std::string_view output;  ///< its stdout, byte for byte
};

/// In the order in which they are timed.
std::span<const Workload> workloads();

}  // namespace pybox::campaign
