#pragma once
/// What the readers of check tables share: words, lists, `expect`.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/toml.hpp"
#include "campaign/model/check.hpp"

namespace pybox::campaign {

/// "`word`", safe to print.
std::string ticks(std::string_view word);
/// Error kind Refused: "line N: what".
Error at_line(std::size_t line, std::string what);

/// The texts of a list, none empty, none twice.
Result<std::vector<std::string>> words_in(const TomlValue& list, std::string_view key);
/// The same of a field; no field is an empty list.
Result<std::vector<std::string>> words_of(TomlFields& fields, std::string_view key);

/// Fills check.expected from the table `expect` of a check whose cut and benign are read. `line` is
/// the check's.
Result<void> read_expect(Check& check, TomlFields& fields, std::size_t line);

}  // namespace pybox::campaign
