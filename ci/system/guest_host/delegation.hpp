#pragma once
/// Cgroups as systemd lays them out: a service for root's phase, and for the ordinary user a scope
/// delegated to them (man 5 systemd.resource-control, "Delegate=").

#include <sys/types.h>

#include <filesystem>

#include "base/result.hpp"

namespace guest_host {

inline constexpr uid_t kUser = 1000;

/// /sys/fs/cgroup/system.slice/tests.service, owned by root.
pybox::Result<std::filesystem::path> make_service();
/// …/user-1000.slice/user@1000.service/app.slice/tests.scope: from the service down everything that
/// systemd hands over is owned by kUser (the folder, cgroup.procs, cgroup.subtree_control,
/// cgroup.threads), everything else by root.
pybox::Result<std::filesystem::path> make_delegated_scope();

}  // namespace guest_host
