#pragma once
/// Text as people and terminals meet it: UTF-8 checks, escaping, sizes, "did you mean".

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/units.hpp"

namespace pybox {

/// True when `bytes` is well-formed UTF-8 (no surrogates, no overlong forms; RFC 3629).
bool is_utf8(std::string_view bytes);

/// A word that may become a file's name or stand in a log: 1 to 64 of [A-Za-z0-9._-], no dot in
/// front.
bool is_plain_word(std::string_view text);

/// The longest prefix that does not end inside a UTF-8 character. Bytes that are no UTF-8 at all
/// are left alone: only an unfinished final sequence (at most 3 bytes) is dropped.
std::string_view cut_at_character(std::string_view bytes);

/// The character that starts a text; size 0 when the bytes are no UTF-8.
struct Character {
  char32_t code = 0;
  std::size_t size = 0;
};
/// How many bytes at its start are printable ASCII: characters that need no look.
std::size_t plain_run(std::string_view text);
/// Precondition: `text` is not empty.
Character first_character(std::string_view text);

/// Control characters and others that show nothing or change how their neighbours look.
bool is_deceptive(char32_t code);

/// Makes untrusted text safe to show on a terminal or in a log line: C0 and C1 controls, DEL,
/// invalid bytes, bidirectional controls and other invisible format characters become \xNN or
/// \u{NNNN}. Newline and tab are kept only with `keep_lines`.
enum class Lines { Escape, Keep };
std::string visible(std::string_view untrusted, Lines lines = Lines::Escape);

/// Takes the text up to the next `separator` off the front of `rest`, and the separator with it;
/// the last part needs none. A stream per line would cost more than reading what the kernel wrote.
std::string_view take_until(std::string_view& rest, char separator);
inline std::string_view take_line(std::string_view& rest) { return take_until(rest, '\n'); }
/// Takes the next word, what stands between white space; empty at the end.
std::string_view take_word(std::string_view& rest);

/// Without white space (or what `blank` names) at either end.
std::string_view trimmed(std::string_view text, std::string_view blank = " \t\n\r\f\v");

/// "17.2 KiB", "128 MiB", "512 B".
std::string human_size(Bytes size);
/// "0.075 s", "12.1 s".
std::string human_seconds(Nanos time);

/// The candidate nearest to `word` (edit distance at most 2 and less than its length), else empty.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace pybox
