#pragma once
/// The words of `campaign run`, checked.

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/model/check.hpp"
#include "campaign/model/sources.hpp"
#include "cli/words/command.hpp"

namespace pybox::campaign {

struct RunWords {
  std::vector<Check> checks;  ///< none with `resume`: the plan names them
  std::optional<ArmName> arm;
  std::optional<std::string_view> out, sign, previous;
  std::uint32_t passes = 1;
  std::vector<std::string> expected_unmet;
  bool resume = false;
};

/// Error kind Usage: no checks named, `--all` beside others, a number that is none.
Result<RunWords> run_words(const cli::Words& words, const CheckSources& sources);

}  // namespace pybox::campaign
