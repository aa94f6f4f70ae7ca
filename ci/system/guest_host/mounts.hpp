#pragma once
/// Makes a bare kernel into a small Linux host for the tests: modules, the base image as its /usr,
/// a writable root, cgroup v2. Only the tests' init uses it; the product's guest init is boxd's.

#include <string>

#include "base/result.hpp"

namespace guest_host {

/// The tests' own files, carried in the initramfs and copied to the new root.
inline constexpr const char* kPayload = "/payload";
/// Where the base image (the one erofs disk) is mounted in the new root.
inline constexpr const char* kImage = "/image";

/// Everything up to the new root. Preconditions: PID 1 of an initramfs with /modules.list,
/// /modules/NAME and kPayload.
pybox::Result<void> become_host();

}  // namespace guest_host
