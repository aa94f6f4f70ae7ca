#pragma once
/// What the caller's stdout and stderr are, and how errors look on them.

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/result.hpp"

namespace pybox::cli {

struct Terminal {
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  /// Colour on stderr: a terminal, no NO_COLOR (any non-empty value), TERM not "dumb".
  bool colour = false;
};

/// Looks at descriptors 0, 1 and 2 and the environment.
Terminal probe_terminal();

/// Text in a colour when `colour` is set; as it is otherwise.
enum class Style { Bold, Dim, Red, Green, Yellow, Cyan };
std::string styled(std::string_view text, Style style, bool colour);

/// "error: …" and, when there is one, "hint: …", each one line, safe to print.
std::string error_text(const Error& error, bool colour);

/// Writes to stderr; a reader that went away is ignored.
void say(std::string_view text);
/// Writes to stdout. Error of kind Io when it cannot be written; EPIPE is no error: the reader has
/// what it wanted.
Result<void> print(std::string_view text);

}  // namespace pybox::cli
