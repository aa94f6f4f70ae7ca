#include "cli/terminal/terminal.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/text.hpp"
#include "sys/fd.hpp"

namespace pybox::cli {
namespace {

bool wants_colour() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') &&
         (term == nullptr || std::string_view(term) != "dumb");
}

std::string_view code_of(Style style) {
  switch (style) {
    case Style::Bold: return "1";
    case Style::Dim: return "2";
    case Style::Red: return "1;31";
    case Style::Green: return "32";
    case Style::Yellow: return "33";
    case Style::Cyan: return "36";
  }
  return "0";
}

}  // namespace

Terminal probe_terminal() {
  Terminal terminal;
  terminal.in_is_terminal = ::isatty(STDIN_FILENO) == 1;
  terminal.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  terminal.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  terminal.colour = terminal.err_is_terminal && wants_colour();
  return terminal;
}

std::string styled(std::string_view text, Style style, bool colour) {
  if (!colour) return std::string(text);
  std::string out = "\x1b[";
  out.append(code_of(style)).append("m").append(text).append("\x1b[0m");
  return out;
}

std::string error_text(const Error& error, bool colour) {
  std::string text = styled("error:", Style::Red, colour) + " " + visible(error.message()) + "\n";
  if (!error.hint().empty()) {
    text += styled("hint:", Style::Cyan, colour) + " " + visible(error.hint()) + "\n";
  }
  return text;
}

void say(std::string_view text) {
  // Nobody is left to tell when stderr itself cannot be written.
  if (!sys::write_all(STDERR_FILENO, text)) return;
}

Result<void> print(std::string_view text) {
  auto written = sys::write_all(STDOUT_FILENO, text);
  if (written || written.error().errno_code() == EPIPE) return {};
  return std::move(written).error().context("stdout");
}

}  // namespace pybox::cli
