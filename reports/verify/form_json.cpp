#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "reports/verify/parts.hpp"

namespace pybox::reports::verify {

Result<void> check_form(std::string_view text, const std::string& place) {
  if (text.ends_with('\n')) text.remove_suffix(1);  // of a file
  const nlohmann::json root = PYBOX_TRY_CONTEXT(parse_json(text), place);
  // Sorted keys, no blanks, the shortest escapes; nothing here has a float or a key beyond ASCII,
  // in which this and RFC 8785 would differ.
  if (root.dump() == text) return {};
  return wrong(
      place +
      " is not in its one form (RFC 8785): blanks, line ends, escapes or the order of keys");
}

}  // namespace pybox::reports::verify
