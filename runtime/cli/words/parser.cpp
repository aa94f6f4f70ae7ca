#include "cli/words/parser.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text.hpp"

namespace pybox::cli {
namespace {

constexpr std::string_view kHelp = "--help";

Error wrong_words(std::string what) { return {ErrorKind::Usage, std::move(what)}; }

std::string in_ticks(std::string_view word) { return "`" + std::string(word) + "`"; }

std::string help_of(std::string_view program, std::string_view command) {
  return "`" + std::string(program) + " " + std::string(command) + (command.empty() ? "" : " ") +
         "--help` shows what there is";
}

/// "`pybox exec`"
std::string called(const Command& command) {
  return "`" + std::string(command.program) + " " + std::string(command.name) + "`";
}

bool looks_like_option(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

const Option* find_option(const Command& command, std::string_view name) {
  const auto found = std::find_if(command.options.begin(), command.options.end(),
                                  [&](const Option& option) { return option.name == name; });
  return found == command.options.end() ? nullptr : &*found;
}

/// The words of a command sorted by what they are; option words still unchecked, as CLI11 takes
/// them.
struct Split {
  std::vector<std::string> options;
  std::vector<std::string> positionals;
  std::vector<std::string> rest;
};

/// Walks the words once. Values are cut off here ("--name=value", "-cCODE", "--name value"),
/// because where PyBox's words end depends on which word is a value.
class Splitter {
 public:
  Splitter(const Command& command, std::span<const std::string> words)
      : command_(command), words_(words) {}

  Result<Split> split() {
    while (next_ < words_.size()) {
      const std::string& word = words_[next_];
      if (word == "--") {
        ++next_;
        after_marker();
        break;
      }
      if (looks_like_option(word)) {
        PYBOX_TRY(take_option(word));
      } else if (program_known_) {
        break;
      } else {
        take_positional(word);
      }
    }
    split_.rest.assign(words_.begin() + static_cast<std::ptrdiff_t>(next_), words_.end());
    return std::move(split_);
  }

 private:
  bool passes_rest() const { return !command_.program_option.empty(); }

  void take_positional(const std::string& word) {
    split_.positionals.push_back(word);
    ++next_;
    if (passes_rest()) program_known_ = true;
  }

  /// After `--` no word is an option.
  void after_marker() {
    if (passes_rest()) {
      if (!program_known_ && next_ < words_.size()) take_positional(words_[next_]);
      return;
    }
    while (next_ < words_.size()) take_positional(words_[next_]);
  }

  Result<void> take_option(const std::string& word) {
    ++next_;
    const bool is_long = word.starts_with("--");
    const std::size_t cut = is_long ? word.find('=') : 2;
    const bool attached = cut != std::string::npos && cut < word.size();
    const std::string name = attached ? word.substr(0, cut) : word;
    const Option* option = find_option(command_, name);
    const bool takes_value = option != nullptr && !option->value.empty();
    if (attached && option != nullptr && !takes_value && is_long) {
      return wrong_words(in_ticks(name) + " takes no value");
    }
    // An unknown option, or a bundle of short ones, stays whole for CLI11 to refuse.
    split_.options.push_back(takes_value ? name : word);
    if (!takes_value) return {};
    if (attached) {
      split_.options.push_back(word.substr(is_long ? cut + 1 : cut));
    } else if (next_ < words_.size()) {
      split_.options.push_back(words_[next_++]);
    } else {
      return wrong_words(in_ticks(name) + " needs a value");
    }
    if (name == command_.program_option) program_known_ = true;
    return {};
  }

  const Command& command_;
  std::span<const std::string> words_;
  std::size_t next_ = 0;
  bool program_known_ = false;
  Split split_;
};

Error unknown_option(const Command& command, std::string_view word) {
  word = word.substr(0, word.find('='));
  std::vector<std::string_view> names{kHelp};
  for (const Option& option : command.options) names.push_back(option.name);
  Error error =
      wrong_words("unknown option " + in_ticks(visible(word)) + " for " + called(command));
  const std::string_view near = nearest(word, names);
  if (!near.empty()) return std::move(error).hint("did you mean " + in_ticks(near) + "?");
  if (!command.program_option.empty()) {
    return std::move(error).hint("put `--` before words that belong to the program");
  }
  return std::move(error).hint(help_of(command.program, command.name));
}

/// Lets CLI11 assign the option words.
Result<Parsed> assign_options(const Command& command, std::vector<std::string> words) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::pair<const Option*, CLI::Option*>> added;
  for (const Option& option : command.options) {
    const std::string name(option.name);
    CLI::Option* made = option.value.empty() ? app.add_flag(name) : app.add_option(name);
    made->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    added.emplace_back(&option, made);
  }
  const CLI::Option* help = app.add_flag("-h,--help");
  std::reverse(words.begin(), words.end());  // CLI11 takes words from the back
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return wrong_words(visible(error.what()));
  }
  Parsed parsed;
  parsed.command = &command;
  parsed.wants_help = help->count() > 0;
  for (const auto& [option, made] : added) {
    if (made->count() == 0) continue;
    if (option->repeatable) {
      parsed.words.repeated[std::string(option->name)] = made->results();
      continue;
    }
    if (made->count() > 1) return wrong_words(in_ticks(option->name) + " stands twice");
    const bool is_flag = option->value.empty();
    parsed.words.options[std::string(option->name)] = is_flag ? "" : made->results().front();
  }
  const std::vector<std::string> unknown = app.remaining();
  if (!unknown.empty()) return unknown_option(command, unknown.front());
  return parsed;
}

Result<void> check_positionals(const Command& command, const Words& words) {
  const auto& given = words.positionals;
  const bool takes_more = !command.positionals.empty() && command.positionals.back().repeatable;
  if (given.size() > command.positionals.size() && !takes_more) {
    return wrong_words("unexpected word " + in_ticks(visible(given[command.positionals.size()])) +
                       " for " + called(command))
        .hint(help_of(command.program, command.name));
  }
  // The value of the program option stands in for the first positional.
  if (!command.program_option.empty() && words.has(command.program_option)) return {};
  for (std::size_t i = given.size(); i < command.positionals.size(); ++i) {
    if (!command.positionals[i].required) continue;
    return wrong_words(called(command) + " needs " + std::string(command.positionals[i].name))
        .hint(help_of(command.program, command.name));
  }
  return {};
}

/// "vm" of "vm start"; empty for a command of one word.
std::string_view group_of(const Command& command) {
  const std::size_t space = command.name.find(' ');
  return space == std::string_view::npos ? std::string_view() : command.name.substr(0, space);
}

Error unknown_command(const std::string& word, std::string_view group,
                      std::span<const Command* const> commands) {
  std::vector<std::string_view> names;
  std::string members;
  for (const Command* command : commands) {
    if (group_of(*command) != group) {
      if (group.empty()) names.push_back(group_of(*command));
      continue;
    }
    const std::string_view name =
        group.empty() ? command->name : command->name.substr(group.size() + 1);
    names.push_back(name);
    members += (members.empty() ? "" : "|") + std::string(name);
  }
  const std::string_view program = program_of(commands);
  const std::string lead =
      std::string(program) + " " + (group.empty() ? "" : std::string(group) + " ");
  Error error = word.empty() ? wrong_words("`" + std::string(program) + " " + std::string(group) +
                                           "` needs a command: " + members)
                             : wrong_words("unknown command " + in_ticks(lead + visible(word)));
  const std::string_view near = nearest(word, names);
  if (!near.empty()) {
    return std::move(error).hint("did you mean " + in_ticks(lead + std::string(near)) + "?");
  }
  return std::move(error).hint(help_of(program, group));
}

}  // namespace

Result<Parsed> parse_words(const Command& command, std::span<const std::string> words) {
  Split split = PYBOX_TRY(Splitter(command, words).split());
  Parsed parsed = PYBOX_TRY(assign_options(command, std::move(split.options)));
  parsed.words.positionals = std::move(split.positionals);
  parsed.words.rest = std::move(split.rest);
  if (!parsed.wants_help) PYBOX_TRY(check_positionals(command, parsed.words));
  return parsed;
}

Result<Parsed> parse(std::span<const std::string> words, std::span<const Command* const> commands) {
  const std::string first = words.empty() ? "" : words[0];
  const std::string second = words.size() < 2 ? "" : words[1];
  bool is_group = false;
  for (const Command* command : commands) {
    if (command->name == first) return parse_words(*command, words.subspan(1));
    if (command->name == first + " " + second) return parse_words(*command, words.subspan(2));
    is_group = is_group || (!first.empty() && group_of(*command) == first);
  }
  return is_group ? unknown_command(second, first, commands) : unknown_command(first, "", commands);
}

}  // namespace pybox::cli
