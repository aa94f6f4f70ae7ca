#pragma once
/// `pybox vm start|stop|status|logs` and the hidden command behind `start`: what cli gathers for
/// the VM layer, which knows neither settings nor images.

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "vm/status.hpp"

namespace pybox::cli {

/// `pybox vm status` for people.
std::string vm_status_text(const vm::Status& status);

/// The logs as they are, for programs: {"schema_version", "supervisor", "console", "builder"};
/// bytes that are no UTF-8 are replaced.
std::string vm_logs_json(std::string_view supervisor, std::string_view console,
                         std::string_view builder);

/// The word that makes pybox a VM's supervisor; not in any help. main() looks for it before
/// anything is parsed.
constexpr std::string_view kVmSupervise = "vm-supervise";
/// Becomes the supervisor; returns its exit code when the VM ended.
int supervise_vm();

}  // namespace pybox::cli
