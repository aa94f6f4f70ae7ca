#pragma once
/// Python versions and what a script or package says about them (PEP 440): read, ordered, matched.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pybox::pypi {

/// "1!2.0rc1.post2.dev3+local.4" taken apart. Ordered as PEP 440 orders.
struct PythonVersion {
  enum class Pre { Alpha, Beta, Candidate };
  /// A number orders before no text, and after every text (PEP 440, local versions).
  struct LocalPart {
    std::optional<std::uint64_t> number;
    std::string text;
    friend bool operator==(const LocalPart&, const LocalPart&) = default;
  };

  std::uint64_t epoch = 0;
  std::vector<std::uint64_t> release;  ///< never empty; trailing zeros as written
  std::optional<std::pair<Pre, std::uint64_t>> pre;
  std::optional<std::uint64_t> post;
  std::optional<std::uint64_t> dev;
  std::vector<LocalPart> local;

  bool is_prerelease() const { return pre.has_value() || dev.has_value(); }
  friend std::strong_ordering operator<=>(const PythonVersion& a, const PythonVersion& b);
  friend bool operator==(const PythonVersion& a, const PythonVersion& b) {
    return (a <=> b) == std::strong_ordering::equal;
  }
};

/// Also the spellings that PEP 440 normalises ("v1.0-RC.1"). Nothing for anything else, and for
/// numbers above 18 digits.
std::optional<PythonVersion> parse_python_version(std::string_view text);

struct VersionSpecifier {
  enum class Operator { Compatible, Equal, NotEqual, AtMost, AtLeast, Below, Above, Arbitrary };
  Operator op = Operator::Equal;
  PythonVersion version;  ///< unused for Arbitrary
  bool prefix = false;    ///< "== 3.13.*"; Equal and NotEqual only
  std::string text;       ///< of Arbitrary, lower case
};

/// "≥3.11, <4": all must hold; none given means any version. Error kind Refused, naming the part.
Result<std::vector<VersionSpecifier>> parse_specifiers(std::string_view text);

/// Pre-releases are taken as any other version: the question is about a Python that is there.
bool matches(const std::vector<VersionSpecifier>& specifiers, const PythonVersion& version,
             std::string_view version_text);

}  // namespace pybox::pypi
