#pragma once
/// What may stay in a text of a recording. The rules name what is allowed and replace the rest, so
/// that a path, an address or a token nobody thought of goes too. Pure and idempotent: what a rule
/// writes in place of something is allowed by all of them.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pybox::replay {

/// What the evidence itself made and may be told: nonces, canaries, digests, ids.
using KnownWords = std::set<std::string, std::less<>>;

/// How often each rule replaced something: part of meta.json.
using Counts = std::map<std::string, std::uint64_t>;

struct Allowed {
  KnownWords words;
  /// Names of the machine and of its user, which no pattern finds: removed wherever they stand as a
  /// word. Never written into a recording.
  std::vector<std::string> names;
};

/// Rules, in order, with what they write:
///   name      a name of the machine or user            [name]
///   setting   the value after NAME= or NAME: of a      [secret]
///             variable that sounds like a secret
///   path      an absolute path that is not a box's     [path]
///   address   an IP address but loopback, unspecified  [address]
///             and link-local; anything with an @
///   token     24 characters and more of letters and    [token]
///             digits together that the evidence did not make
/// Invalid UTF-8 and control characters but newline and tab are escaped first (`bytes`).
std::string clean_text(std::string_view text, const Allowed& allowed, Counts& counts);

/// One line a rule, as above: their SHA-256 tells recordings cleaned by other rules apart.
std::string_view text_rules();

}  // namespace pybox::replay
