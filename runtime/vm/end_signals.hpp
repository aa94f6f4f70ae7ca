#pragma once
/// The signals by which a host ends a supervisor, as a descriptor to wait on.

#include "base/result.hpp"
#include "sys/fd.hpp"

namespace pybox::vm {

/// Blocks SIGTERM, SIGINT and SIGHUP; the descriptor is readable when one came.
Result<sys::Fd> take_end_signals();

}  // namespace pybox::vm
