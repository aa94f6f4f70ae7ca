#pragma once
/// From the words after `pybox` to a command and its Words.

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/words/command.hpp"

namespace pybox::cli {

struct Parsed {
  const Command* command = nullptr;
  Words words;
  bool wants_help = false;  ///< `--help` stood among PyBox's own words
};

/// Finds the command that the first one or two words name and checks the rest against its tables.
/// Errors have kind Usage: an unknown command or option (with the nearest known one), a missing or
/// repeated value, a word too many or too few.
Result<Parsed> parse(std::span<const std::string> words, std::span<const Command* const> commands);

/// The words of one command. With `--help` among them, missing words are no error.
Result<Parsed> parse_words(const Command& command, std::span<const std::string> words);

}  // namespace pybox::cli
