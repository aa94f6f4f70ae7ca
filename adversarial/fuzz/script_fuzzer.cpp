/// PEP 723 blocks: what is read stands in the script, and what uv would be given is dependencies
/// and nothing else.

#include "oracle.hpp"
#include "pypi/pep440.hpp"
#include "pypi/pep723.hpp"

namespace pybox::fuzz {
namespace {

/// The block as it must stand in the script, with its comment signs.
std::string as_comment(std::string_view block) {
  std::string text;
  for (std::string_view rest = block; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    require(end != std::string_view::npos, "a block that ends within a line");
    text += end == 0 ? "#" : "# " + std::string(rest.substr(0, end));
    text += '\n';
    rest.remove_prefix(end + 1);
  }
  return text;
}

/// "# " and nothing after it gives an empty line too.
std::string without_trailing_blanks(std::string text) {
  for (std::size_t at = 0; (at = text.find("# \n", at)) != std::string::npos;)
    text.erase(at + 1, 1);
  return text;
}

std::string unix_lines(std::string_view script) {
  std::string text;
  for (std::size_t i = 0; i < script.size(); ++i) {
    const bool pair = script.substr(i).starts_with("\r\n");
    text += script[i] == '\r' ? '\n' : script[i];
    if (pair) ++i;
  }
  return text;
}

void require_dependencies(pypi::InlineScript script) {
  if (has_seeded_defect() && !script.dependencies.empty()) {
    script.dependencies.front().marker += "\n--index-url https://example.org";
  }
  const std::string text = pypi::to_requirements(script.dependencies);
  std::size_t lines = 0;
  for (std::string_view rest = text; !rest.empty(); ++lines) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    require(!line.empty() && line.front() != '-', "a line like an option");
    for (const char c : line) require(c >= 0x20 && c < 0x7F, "a letter that is not printable");
    require(line.find_first_of("#\\@$/") == std::string_view::npos, "a letter with a meaning");
    rest.remove_prefix(line.size() + 1);
  }
  require(lines == script.dependencies.size(), "another number of lines");
  if (lines == 0) return;
  const auto again = pypi::parse_requirements_in(text);
  require(again && pypi::to_requirements(*again) == text, "read back, other dependencies");
}

}  // namespace
}  // namespace pybox::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace fuzz = pybox::fuzz;
  namespace pypi = pybox::pypi;
  const std::string_view text = fuzz::text_of(data, size);
  const auto script = pypi::read_inline_script(text);
  if (!script) {
    fuzz::require_showable(script.error());
    return 0;
  }
  if (script->line == 0) {
    fuzz::require(script->dependencies.empty() && !script->requires_python, "read from no block");
    return 0;
  }
  const std::string all = fuzz::without_trailing_blanks("\n" + fuzz::unix_lines(text) + "\n");
  const std::string block =
      "# /// script\n" + fuzz::without_trailing_blanks(fuzz::as_comment(script->block)) + "# ///\n";
  const bool stands_there =
      all.find("\n" + block) != std::string::npos || all.starts_with("\n\xEF\xBB\xBF" + block);
  fuzz::require(stands_there, "a block that is not in the script");
  if (script->requires_python) {
    fuzz::require(pypi::parse_specifiers(*script->requires_python).has_value(), "no specifiers");
  }
  fuzz::require_dependencies(*script);
  return 0;
}
