#include "campaign/model/verdict.hpp"

#include <array>
#include <utility>

namespace pybox::campaign {
namespace {

constexpr std::array<std::pair<Verdict, std::string_view>, 7> kNames = {{
    {Verdict::Held, "held"},
    {Verdict::Broken, "broken"},
    {Verdict::Vacuous, "vacuous"},
    {Verdict::NotApplicable, "not-applicable"},
    {Verdict::Unmet, "unmet"},
    {Verdict::Error, "error"},
    {Verdict::Flaky, "flaky"},
}};

}  // namespace

std::string_view name_of(Verdict verdict) {
  for (const auto& [each, name] : kNames) {
    if (each == verdict) return name;
  }
  return "error";
}

std::optional<Verdict> verdict_from(std::string_view name) {
  for (const auto& [verdict, each] : kNames) {
    if (each == name) return verdict;
  }
  return std::nullopt;
}

}  // namespace pybox::campaign
