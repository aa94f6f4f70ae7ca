#include "cli/words/help.hpp"

#include <catch2/catch_test_macros.hpp>

#include "cli/terminal/golden_for_tests.hpp"

namespace pybox::cli {

TEST_CASE("docs/cli.md is what --help prints") {
  check_golden("docs/cli.md", cli_reference(all_commands()));
}

TEST_CASE("every line of help fits into 80 columns and no option's help ends with a full stop") {
  for (const Command* command : all_commands()) {
    const std::string text = help_text(*command);
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = text.find('\n', start);
      INFO(text.substr(start, end - start));
      CHECK(end - start <= 80);
      start = end + 1;
    }
    CHECK_FALSE(command->summary.ends_with('.'));
    for (const Option& option : command->options) CHECK_FALSE(option.help.ends_with('.'));
    for (const Positional& word : command->positionals) CHECK_FALSE(word.help.ends_with('.'));
  }
}

TEST_CASE("a group lists its commands, another word lists none") {
  CHECK(group_text("nothing", all_commands()).empty());
}

}  // namespace pybox::cli
