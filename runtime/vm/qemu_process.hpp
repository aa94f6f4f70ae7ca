#pragma once
/// Theory of operation: QEMU is a child of the supervisor, or of who builds an image in a VM, and
/// dies with it (PR_SET_PDEATHSIG), so a PyBox that was killed leaves no machine behind. Console,
/// QMP and link are socket pairs that QEMU inherits: no path in the file system leads to a machine,
/// except through its supervisor. The environment is empty. Whoever holds the QemuProcess reaps it.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "sys/fd.hpp"
#include "sys/process.hpp"

namespace pybox::vm {

struct QemuProcess {
  sys::Child child;
  sys::Fd console;
  sys::Fd qmp;
  sys::Fd link;
  sys::Fd words;  ///< what QEMU prints (stdout and stderr)
};

/// Starts it; our ends are non-blocking. Precondition: the calling thread outlives QEMU,
/// which is killed with it.
Result<QemuProcess> start_qemu(const std::filesystem::path& program,
                               const std::vector<std::string>& arguments);

}  // namespace pybox::vm
