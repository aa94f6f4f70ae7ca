#pragma once
/// Reads what `--input` names: files and whole folders of this host, into memory, before any box is
/// made.

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "request/request.hpp"

namespace pybox::files {

/// Each path appears below /tmp/input under its last component; folders keep their shape. Links
/// below a path, or as its last component, are refused, as are devices, FIFOs and sockets; links on
/// the way to a path are the caller's own affair. Stops reading above ceiling::kInputBytes.
/// Afterwards check_inputs() holds. Errors: Usage for a path that is not there or cannot be read,
/// else Refused.
Result<std::vector<InputFile>> read_inputs(std::span<const std::string> paths);

}  // namespace pybox::files
