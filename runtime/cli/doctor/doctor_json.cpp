#include <nlohmann/json.hpp>

#include "cli/doctor/doctor.hpp"
#include "receipt/canonical_json.hpp"
#include "receipt/sections.hpp"

namespace pybox::cli {

using nlohmann::ordered_json;

std::string doctor_json(const std::vector<DoctorCheck>& checks, bool usable) {
  ordered_json list = ordered_json::array();
  for (const DoctorCheck& check : checks) {
    list.push_back({{"area", name_of(check.area)},
                    {"name", sections::text_json(check.name)},
                    {"ok", check.ok},
                    {"needed", check.needed},
                    {"detail", sections::text_json(check.detail)},
                    {"fix", check.ok || check.fix.empty() ? ordered_json(nullptr)
                                                          : sections::text_json(check.fix)}});
  }
  return readable_json({{"schema_version", 1},
                        {"usable", usable},
                        {"vm_usable", is_usable(checks, DoctorCheck::Area::Vm)},
                        {"native_usable", is_usable(checks, DoctorCheck::Area::Native)},
                        {"checks", list}});
}

}  // namespace pybox::cli
