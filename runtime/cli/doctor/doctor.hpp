#pragma once
/// `pybox doctor`: facts about this host, probed now, each with the command that would mend it.

#include <string>
#include <string_view>
#include <vector>

#include "sys/state_dirs.hpp"

namespace pybox::cli {

struct DoctorCheck {
  enum class Area { Host, Native, Vm, Setup, State };
  Area area = Area::Host;
  std::string name;  ///< "cgroup memory"
  bool ok = false;
  std::string detail;  ///< what was found
  std::string fix;     ///< a command or one thing to do, shown where the check does not hold
  /// A needed check that does not hold makes its engine unusable; others only say what is missing.
  bool needed = true;
};

std::string_view name_of(DoctorCheck::Area area);

/// Runs every probe (cli/doctor/probes.hpp).
std::vector<DoctorCheck> examine(const sys::StateDirs& dirs);

/// Whether every needed check of `area`, and of what all engines share, holds.
bool is_usable(const std::vector<DoctorCheck>& checks, DoctorCheck::Area area);

/// The lines `pybox doctor` prints.
std::string doctor_text(const std::vector<DoctorCheck>& checks, bool colour);
/// What `pybox doctor --json` prints.
std::string doctor_json(const std::vector<DoctorCheck>& checks, bool usable);

}  // namespace pybox::cli
