#pragma once
/// The vm.* part of the seal, read once by the boxd of a guest: what the VM must not have.

#include <vector>

#include "receipt/report.hpp"

namespace pybox::boxd {

/// vm.nonic: no network interface but loopback. vm.novsock: no vsock device or transport.
/// vm.noshare: no file system shared with the host.
std::vector<SealCheck> check_vm();

}  // namespace pybox::boxd
