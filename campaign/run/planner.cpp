#include "campaign/run/planner.hpp"

#include <algorithm>
#include <tuple>

#include "base/digest.hpp"
#include "base/text.hpp"

namespace pybox::campaign {
namespace {

/// Sorts by what is shared.
auto place_of(const Check& check) {
  return std::tuple(!check.driver.empty(), check.engine != EngineKind::Native, check.own_world,
                    check.image, check.area, check.id);
}

const std::string& found_in(const std::map<std::string, std::string>& texts,
                            const std::string& name) {
  static const std::string kNone;
  const auto found = texts.find(name);
  return found == texts.end() ? kNone : found->second;
}

}  // namespace

std::string text_of(const CheckSources& sources, const Check& check, bool benign) {
  if (!benign && !check.driver.empty()) return found_in(sources.drivers, check.driver);
  return found_in(sources.probes, "prelude.py") + "\n" +
         found_in(sources.probes, benign ? check.benign : check.probe);
}

Result<Plan> make_plan(PlanOrder order, const CheckSources& sources, std::string id,
                       std::string created) {
  std::sort(order.checks.begin(), order.checks.end(),
            [](const Check& a, const Check& b) { return place_of(a) < place_of(b); });
  Plan plan;
  plan.id = std::move(id);
  plan.created = std::move(created);
  plan.passes = order.passes;
  plan.expected_unmet = std::move(order.expected_unmet);
  for (Check& check : order.checks) {
    PlannedCheck planned;
    planned.arms = arms_of(check);
    if (plan.checks.size() % 2 == 1) std::swap(planned.arms[0], planned.arms[1]);
    if (order.arm) {
      std::erase_if(planned.arms, [&](const Arm& arm) { return arm.name != *order.arm; });
      if (planned.arms.empty()) continue;
    }
    planned.texts["program"] = sha256_hex(text_of(sources, check, false));
    if (!check.benign.empty()) planned.texts["benign"] = sha256_hex(text_of(sources, check, true));
    planned.check = std::move(check);
    plan.checks.push_back(std::move(planned));
  }
  if (plan.checks.empty() && order.arm)
    return Error(ErrorKind::Usage, "none of the checks has an arm `" + visible(*order.arm) + "`")
        .hint("arms are `protected`, `control`, `only:PROTECTION` and `benign`");
  return plan;
}

std::vector<std::string> expected_from(std::string_view text) {
  std::vector<std::string> listed;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    line = line.substr(0, line.find('#'));
    while (!line.empty()) {
      const std::string_view word = take_word(line);
      if (!word.empty()) listed.emplace_back(word);
    }
  }
  return listed;
}

}  // namespace pybox::campaign
