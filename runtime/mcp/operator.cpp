#include "mcp/operator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.hpp"

namespace pybox::mcp {
namespace {

constexpr std::array kTools = {Tool::RunPython, Tool::ExecutePython, Tool::CheckEnvironment,
                               Tool::ValidateScript};
constexpr std::array kPackages = {Packages::None, Packages::Locked, Packages::Any};
constexpr Nanos kExecuteCeiling = std::chrono::seconds(30);

Error usage(std::string what) { return {ErrorKind::Usage, std::move(what)}; }

}  // namespace

std::string_view name_of(Tool tool) {
  switch (tool) {
    case Tool::RunPython: return "run_python";
    case Tool::ExecutePython: return "execute_python";
    case Tool::CheckEnvironment: return "check_environment";
    case Tool::ValidateScript: return "validate_script";
  }
  return "run_python";
}

std::optional<Tool> tool_from(std::string_view name) {
  const auto* found =
      std::find_if(kTools.begin(), kTools.end(), [&](Tool tool) { return name_of(tool) == name; });
  return found == kTools.end() ? std::nullopt : std::optional(*found);
}

std::string_view name_of(Packages packages) {
  switch (packages) {
    case Packages::None: return "none";
    case Packages::Locked: return "locked";
    case Packages::Any: return "any";
  }
  return "none";
}

std::optional<Packages> packages_from(std::string_view name) {
  const auto* found = std::find_if(kPackages.begin(), kPackages.end(),
                                   [&](Packages packages) { return name_of(packages) == name; });
  return found == kPackages.end() ? std::nullopt : std::optional(*found);
}

bool Operator::offers(Tool tool) const {
  return std::find(tools.begin(), tools.end(), tool) != tools.end();
}

Nanos Operator::ceiling_of(Tool tool) const {
  return max_timeout.value_or(tool == Tool::ExecutePython ? kExecuteCeiling
                                                          : pybox::ceiling::kDefaultTimeout);
}

Nanos Operator::default_of(Tool tool) const {
  const Nanos usual =
      tool == Tool::ExecutePython ? kExecuteCeiling : pybox::ceiling::kDefaultTimeout;
  return std::min(default_timeout.value_or(usual), ceiling_of(tool));
}

std::uint32_t Operator::output_ceiling() const {
  return max_output.value_or(ceiling::kOutputBytes);
}

std::uint32_t Operator::default_output(Tool tool) const {
  // execute_python has no argument for it: its caller gets what is allowed.
  if (tool == Tool::ExecutePython) return output_ceiling();
  return std::min(output_ceiling(), ceiling::kDefaultOutputBytes);
}

Result<void> check_operator(const Operator& allowed) {
  std::set<std::string_view> seen;
  for (const std::string& image : allowed.images) {
    if (!is_plain_word(image)) {
      return usage("`--images` names `" + visible(image) + "`, which is not the name of an image");
    }
    if (!seen.insert(image).second) return usage("`--images` names `" + image + "` twice");
  }
  if (allowed.images.empty()) return usage("`--images` names no image");
  if (allowed.tools.empty()) return usage("`--tools` names no tool");
  for (std::size_t i = 0; i < allowed.tools.size(); ++i) {
    if (std::count(allowed.tools.begin(), allowed.tools.end(), allowed.tools[i]) > 1) {
      return usage("`--tools` names `" + std::string(name_of(allowed.tools[i])) + "` twice");
    }
  }
  if (allowed.max_timeout && allowed.default_timeout &&
      *allowed.default_timeout > *allowed.max_timeout) {
    return usage(fmt::format("`--default-timeout` of {} s is above `--max-timeout` of {} s",
                             seconds(*allowed.default_timeout), seconds(*allowed.max_timeout)));
  }
  if (allowed.default_timeout && !allowed.max_timeout) {
    for (const Tool tool : allowed.tools) {
      if (*allowed.default_timeout <= allowed.ceiling_of(tool)) continue;
      return usage(fmt::format("`--default-timeout` of {} s is above the ceiling of `{}`, {} s",
                               seconds(*allowed.default_timeout), name_of(tool),
                               seconds(allowed.ceiling_of(tool))))
          .hint("raise it with `--max-timeout`");
    }
  }
  if (allowed.offers(Tool::ExecutePython) &&
      allowed.ceiling_of(Tool::ExecutePython) < std::chrono::seconds(1)) {
    return usage("`execute_python` takes whole seconds: `--max-timeout` must be at least 1");
  }
  return {};
}

}  // namespace pybox::mcp
