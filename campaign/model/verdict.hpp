#pragma once
/// What a check's arms amount to. Only Held is green.

#include <optional>
#include <string>
#include <string_view>

namespace pybox::campaign {

enum class Verdict {
  Held,           ///< held: protected as expected, the control reached, the seals as expected
  Broken,         ///< broken: the protected arm reached (in every one of its repetitions)
  Vacuous,        ///< vacuous: the control did not reach, so the check proves nothing
  NotApplicable,  ///< not-applicable: this kernel or processor has no such thing
  Unmet,          ///< unmet: this host cannot run it
  Error,          ///< error: no usable answer, or one that nobody expected
  Flaky,          ///< flaky: repetitions disagree
};
/// Worst first.
inline constexpr Verdict kVerdicts[] = {Verdict::Broken, Verdict::Error, Verdict::Vacuous,
                                        Verdict::Flaky,  Verdict::Unmet, Verdict::NotApplicable,
                                        Verdict::Held};
std::string_view name_of(Verdict verdict);
std::optional<Verdict> verdict_from(std::string_view name);

}  // namespace pybox::campaign
