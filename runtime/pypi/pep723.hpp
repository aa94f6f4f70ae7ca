#pragma once
/// The `# /// script` block of a Python script (PEP 723, now the packaging specification "Inline
/// script metadata"): what the script needs to run. A pure function over the script's text.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "pypi/dependency.hpp"

namespace pybox::pypi {

constexpr std::size_t kMaxBlockBytes = std::size_t{64} << 10U;

struct InlineScript {
  std::size_t line = 0;  ///< of `# /// script`; 0: the script has no such block
  std::string block;     ///< the TOML between the lines, without its comment signs
  std::vector<Dependency> dependencies;
  std::optional<std::string> requires_python;  ///< valid specifiers (pep440.hpp)
  std::vector<std::string> tools;              ///< whose tables [tool.NAME] holds; not read here
  /// Why there may be no block although the author meant one: an unclosed one, which the
  /// specification ignores, or a first line that is nearly right. Empty when nothing looks like it.
  std::string almost;
};

/// Errors have kind Refused and begin "line N: ", a line of the script: a second block of one type,
/// no valid TOML, an unknown key, a value of the wrong kind, no valid dependency or specifier.
Result<InlineScript> read_inline_script(std::string_view script);

}  // namespace pybox::pypi
