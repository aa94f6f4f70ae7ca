#include "cli/doctor/doctor.hpp"

#include <fmt/core.h>

#include <array>

#include "base/join.hpp"
#include "base/text.hpp"
#include "cli/terminal/terminal.hpp"

namespace pybox::cli {
namespace {

using Area = DoctorCheck::Area;

constexpr std::array kAreas = {Area::Host, Area::State, Area::Vm, Area::Native, Area::Setup};

std::string_view title_of(Area area) {
  switch (area) {
    case Area::Host: return "this host";
    case Area::State: return "state";
    case Area::Vm: return "vm engine";
    case Area::Native: return "native engine";
    case Area::Setup: return "tools for setup";
  }
  return "";
}

std::string mark(const DoctorCheck& check, bool colour) {
  if (check.ok) return styled("ok     ", Style::Green, colour);
  return check.needed ? styled("missing", Style::Red, colour)
                      : styled("note   ", Style::Yellow, colour);
}

/// What the engine of `area` lacks, by the names of the checks.
std::vector<std::string> lacking(const std::vector<DoctorCheck>& checks, Area area) {
  std::vector<std::string> names;
  for (const DoctorCheck& check : checks) {
    const bool counts = check.area == area || check.area == Area::Host || check.area == Area::State;
    if (counts && check.needed && !check.ok) names.push_back(check.name);
  }
  return names;
}

std::string verdict(const std::vector<DoctorCheck>& checks, Area area, std::string_view engine) {
  const std::vector<std::string> names = lacking(checks, area);
  if (names.empty()) return fmt::format("{} engine: usable\n", engine);
  return fmt::format("{} engine: not usable (missing: {})\n", engine, join(names, ", "));
}

}  // namespace

std::string_view name_of(Area area) {
  switch (area) {
    case Area::Host: return "host";
    case Area::Native: return "native";
    case Area::Vm: return "vm";
    case Area::Setup: return "setup";
    case Area::State: return "state";
  }
  return "host";
}

bool is_usable(const std::vector<DoctorCheck>& checks, Area area) {
  return lacking(checks, area).empty();
}

std::string doctor_text(const std::vector<DoctorCheck>& checks, bool colour) {
  std::string text;
  for (const Area area : kAreas) {
    std::string rows;
    for (const DoctorCheck& check : checks) {
      if (check.area != area) continue;
      rows +=
          fmt::format("  {}  {:<18}  {}\n", mark(check, colour), check.name, visible(check.detail));
      if (!check.ok && !check.fix.empty()) rows += fmt::format("  {:>7}  fix: {}\n", "", check.fix);
    }
    if (!rows.empty()) text += styled(title_of(area), Style::Bold, colour) + "\n" + rows;
  }
  return text + verdict(checks, Area::Vm, "vm") + verdict(checks, Area::Native, "native");
}

}  // namespace pybox::cli
