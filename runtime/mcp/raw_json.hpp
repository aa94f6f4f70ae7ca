#pragma once
/// Pieces of a JSON text as they were sent, byte for byte. An id must come back exactly as it was
/// asked (2^64, -0, a string), which a parsed number cannot do.
///
/// Precondition of all: the text is JSON (any depth; duplicate keys are allowed, the first counts).

#include <string>
#include <string_view>
#include <vector>

namespace pybox::mcp {

/// The value of a key, as it stands in the text. Empty when the text is no object or has no such
/// key. `key` is ASCII; keys are compared after their escapes, exactly.
std::string_view raw_member(std::string_view object, std::string_view key);

/// The elements of a list; none when the text is no list.
std::vector<std::string_view> raw_elements(std::string_view list);

/// The token when it may be an id or a progress token: a string whose escapes make UTF-8 and that
/// is not too long, or a whole number. Else empty. Equal ids give equal texts: escapes are
/// normalised and everything is ASCII.
std::string usable_id(std::string_view token);

}  // namespace pybox::mcp
