#pragma once
/// One package of a lock, and the words it is made of. Every lock reader checks them here, so that
/// no file format is laxer than another.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/refused_line.hpp"
#include "base/result.hpp"

namespace pybox::pypi {

/// What may stand between the words of a line.
constexpr std::string_view kBlank = " \t";

struct Pin {
  std::string name;                 ///< normalised (PEP 503): "ruamel-yaml"
  std::string version;              ///< as written, one exact version: "0.18.6"
  std::vector<std::string> sha256;  ///< 64 lower-case hex digits each, sorted, no two the same
  std::size_t line = 0;             ///< where it stands in its file; the first line is 1

  /// Where it stands is no part of what is pinned.
  friend bool operator==(const Pin& a, const Pin& b) {
    return a.name == b.name && a.version == b.version && a.sha256 == b.sha256;
  }
};

/// PEP 503: lower case, every run of '-', '_' and '.' one '-'. Precondition: a valid name.
std::string normalised_name(std::string_view name);

/// The checks below answer with what is wrong, quoted and made visible, or with nothing.
/// PEP 508: ASCII letters, digits, '.', '_', '-', the first and last a letter or digit.
std::string trouble_with_name(std::string_view name);
/// One exact version (PEP 440); no wildcard.
std::string trouble_with_version(std::string_view version);
/// "sha256:" and 64 lower-case hex digits.
std::string trouble_with_hash(std::string_view hash);

/// Sorts by name. Error kind Refused when two pins have one name, or when there is none.
Result<std::vector<Pin>> settled_pins(std::vector<Pin> pins);

}  // namespace pybox::pypi
