#include "cli/words/exec_words.hpp"

#include <array>
#include <charconv>
#include <string>

#include "base/text.hpp"

namespace pybox::cli {
namespace {

constexpr std::array kPositionals = {
    Positional{"FILE", "the program; `-` takes it from stdin"},
};

constexpr std::array kOptions = {
    Option{"-c", "CODE", "the program as text, instead of FILE"},
    Option{"--engine", "vm|native", "what makes the box (default: vm)"},
    Option{"--image", "NAME", "what is installed in the box (default: stdlib)"},
    Option{"--python", "V", "the Python version (default: 3.13)"},
    Option{"--with-deps", "", "install what the script's header asks for (PEP 723)"},
    Option{"--timeout", "S", "seconds until the box is stopped (default: 2)"},
    Option{"--input", "PATH", "a file or folder to put into /tmp/input (repeatable)", true},
    Option{"--output", "DIR", "bring back what the program leaves in /tmp/output"},
    Option{"--stdin", "FILE", "what the program reads as its stdin"},
    Option{"--json", "", "print the receipt with the output as JSON"},
    Option{"--receipt", "FILE", "also write the receipt to FILE"},
    Option{"--quiet", "", "do not print the receipt's summary"},
    Option{"--cold", "", "do not use a prepared box"},
};

constexpr std::string_view kDetails =
    R"(PYBOX_ENGINE and config.json can change the default engine.
The box has no network and none of this host's files, and is removed afterwards.
Without --stdin the program reads the caller's stdin, or nothing if that is a
terminal; `--stdin -` always takes the caller's. What it prints goes to stdout
and stderr; on a terminal its control characters are made visible. The receipt's
summary goes to stderr.

With --with-deps the dependencies are locked and installed once, in a builder
with network; the program itself has none. If pylock.NAME.toml is beside NAME.py
(from `pybox image lock NAME.py`), it decides what is installed.

Inputs may have 8 MiB in all; the program cannot change them. Up to 64 files and
8 MiB come back into DIR, which must be new or empty and is made whole or not at
all. They are the program's work: do not trust them. The receipt lists what was
left behind, and why.)";

}  // namespace

Result<double> seconds_word(std::string_view option, std::string_view text) {
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = !text.empty() && end.ptr == text.data() + text.size();
  // More than a double holds is above every ceiling, which is what the refusal should say.
  if (whole && end.ec == std::errc::result_out_of_range && !text.starts_with('-')) return 1e308;
  if (whole && end.ec == std::errc()) return value;
  return Error(ErrorKind::Usage, "`" + std::string(option) + "` takes a number of seconds, not `" +
                                     visible(text) + "`");
}

namespace {

ProgramSource program_from(const Words& words) {
  if (const auto code = words.value("-c")) return {ProgramSource::Kind::Code, std::string(*code)};
  const std::string& word = words.positionals.front();
  if (word == "-") return {ProgramSource::Kind::Stdin, ""};
  return {ProgramSource::Kind::File, word};
}

StdinSource stdin_from(const Words& words, ProgramSource::Kind program, const Terminal& terminal) {
  if (const auto file = words.value("--stdin")) {
    if (*file == "-") return {StdinSource::Kind::Caller, ""};
    return {StdinSource::Kind::File, std::string(*file)};
  }
  const bool taken = program == ProgramSource::Kind::Stdin;
  return {taken || terminal.in_is_terminal ? StdinSource::Kind::Empty : StdinSource::Kind::Caller,
          ""};
}

}  // namespace

Result<ExecOptions> exec_options(const Words& words, const Terminal& terminal) {
  ExecOptions options;
  options.program = program_from(words);
  options.args = words.rest;
  if (const auto engine = words.value("--engine")) options.engine = std::string(*engine);
  if (const auto image = words.value("--image")) options.image = *image;
  if (const auto python = words.value("--python")) options.python = std::string(*python);
  if (const auto timeout = words.value("--timeout")) {
    options.timeout_s = PYBOX_TRY(seconds_word("--timeout", *timeout));
  }
  if (const auto file = words.value("--receipt")) options.receipt_file = std::string(*file);
  options.inputs = words.values("--input");
  if (const auto folder = words.value("--output")) options.output = std::string(*folder);
  options.stdin_source = stdin_from(words, options.program.kind, terminal);
  options.json = words.has("--json");
  options.quiet = words.has("--quiet");
  options.cold = words.has("--cold");
  options.with_deps = words.has("--with-deps");
  if (options.with_deps && words.has("--image")) {
    return Error(ErrorKind::Usage, "`--with-deps` builds its own image; leave out `--image`");
  }
  return options;
}

Command exec_command(Result<int> (*run)(const Words&, const Surroundings&)) {
  return {
      .name = "exec",
      .summary = "Run one Python program in a fresh sealed box",
      .synopsis = "[OPTIONS] FILE|-|-c CODE [OPTIONS] [--] [ARGS…]",
      .positionals = kPositionals,
      .options = kOptions,
      .details = kDetails,
      .program_option = "-c",
      .run = run,
  };
}

}  // namespace pybox::cli
