#pragma once
/// SHA-256 of an open file without holding it in memory.

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.hpp"
#include "sys/fd.hpp"

namespace pybox::sys {

/// Reads from the current position to the end; `count` hears how many bytes each read gave. `name`
/// is for the error.
Result<std::string> digest_of_open(const sys::Fd& fd, const std::string& name,
                                   const std::function<void(std::uint64_t)>& count);

}  // namespace pybox::sys
