#pragma once
/// The probes behind `pybox doctor`, one function an area. Each looks at the host as it is now;
/// none changes anything that outlives it.

#include <vector>

#include "cli/doctor/doctor.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::cli {

void probe_host_facts(std::vector<DoctorCheck>& checks);
void probe_state(const sys::StateDirs& dirs, std::vector<DoctorCheck>& checks);
void probe_vm(const sys::StateDirs& dirs, std::vector<DoctorCheck>& checks);
void probe_native(std::vector<DoctorCheck>& checks);
void probe_setup_tools(std::vector<DoctorCheck>& checks);

/// The boxd that both engines need: the native one starts it, the vm one puts it into the guest.
DoctorCheck boxd_check(DoctorCheck::Area area);

/// The check for folders and files that only their owner may use. `fix` names the chmod.
DoctorCheck private_folder(const std::string& name, const std::filesystem::path& path);

/// What a probe of namespaces met, as text for `detail`; empty when all worked. Forks a child that
/// makes a user namespace with an id map and, in it, the other namespaces of a box.
std::string trouble_with_namespaces();
/// The command that helps against it, from the sysctls this host has.
std::string fix_for_namespaces();

}  // namespace pybox::cli
