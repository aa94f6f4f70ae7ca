#include "cli/words/parser.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace pybox::cli {
namespace {

constexpr Option kHelp{"--help", "", ""};

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
  if (name == "-h" || name == kHelp.name) return &kHelp;
  const auto found = std::find_if(command.options.begin(), command.options.end(),
                                  [&](const Option& option) { return option.name == name; });
  return found == command.options.end() ? nullptr : &*found;
}

Error unknown_option(const Command& command, std::string_view word) {
  word = word.substr(0, word.find('='));
  std::vector<std::string_view> names{kHelp.name};
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

/// Walks the words once. Where PyBox's words end depends on which word is an option's value, so
/// one walk does both.
class Walk {
 public:
  Walk(const Command& command, std::span<const std::string> words)
      : command_(command), left_(words) {
    parsed_.command = &command;
  }

  Result<Parsed> parsed() {
    while (!left_.empty()) {
      if (left_.front() == "--") {
        next();
        after_marker();
        break;
      }
      if (looks_like_option(left_.front())) {
        PYBOX_TRY(take_option(next()));
      } else if (program_known_) {
        break;
      } else {
        take_positional();
      }
    }
    parsed_.words.rest.assign(left_.begin(), left_.end());
    return std::move(parsed_);
  }

 private:
  const std::string& next() {
    const std::string& word = left_.front();
    left_ = left_.subspan(1);
    return word;
  }

  bool passes_rest() const { return !command_.program_option.empty(); }

  void take_positional() {
    parsed_.words.positionals.push_back(next());
    if (passes_rest()) program_known_ = true;
  }

  /// After `--` no word is an option.
  void after_marker() {
    while (!left_.empty() && !program_known_) take_positional();
  }

  /// "--name", "--name value", "--name=value", "-c value" or "-cvalue".
  Result<void> take_option(const std::string& word) {
    const bool is_long = word.starts_with("--");
    const std::size_t cut = is_long ? std::min(word.find('='), word.size()) : 2;
    const bool attached = cut < word.size();
    const Option* option = find_option(command_, std::string_view(word).substr(0, cut));
    const bool takes_value = option != nullptr && !option->value.empty();
    if (option == nullptr || (attached && !is_long && !takes_value)) {
      return unknown_option(command_, word);
    }
    if (!takes_value) {
      if (attached) return wrong_words(in_ticks(option->name) + " takes no value");
      return keep(*option, "");
    }
    if (attached) return keep(*option, word.substr(is_long ? cut + 1 : cut));
    if (left_.empty()) return wrong_words(in_ticks(option->name) + " needs a value");
    return keep(*option, next());
  }

  Result<void> keep(const Option& option, const std::string& value) {
    const std::string name(option.name);
    if (option.name == command_.program_option) program_known_ = true;
    if (&option == &kHelp) {
      parsed_.wants_help = true;
    } else if (option.repeatable) {
      parsed_.words.repeated[name].push_back(value);
    } else if (!parsed_.words.options.emplace(name, value).second) {
      return wrong_words(in_ticks(name) + " appears twice");
    }
    return {};
  }

  const Command& command_;
  std::span<const std::string> left_;
  bool program_known_ = false;
  Parsed parsed_;
};

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
  Parsed parsed = PYBOX_TRY(Walk(command, words).parsed());
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
