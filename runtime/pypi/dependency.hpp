#pragma once
/// What a person asks for, before it is locked: one dependency as PEP 508 writes it, or a
/// requirements.in full of them. Resolving them is uv's work, in the builder; here is decided what
/// may be handed to it. Links and paths are valid PEP 508 and refused all the same: nothing of them
/// could be pinned by name, version and hash.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pybox::pypi {

constexpr std::size_t kMaxRequirementsBytes = std::size_t{256} << 10U;
constexpr std::size_t kMaxDependencies = 256;

struct Dependency {
  std::string name;                 ///< normalised (PEP 503)
  std::vector<std::string> extras;  ///< normalised, as asked for
  std::string specifiers;           ///< ">=1,<3"; may be empty
  std::string marker;               ///< "python_version<'3.14'"; not evaluated here; may be empty
};

/// Error kind Refused, without a line: the caller knows it.
Result<Dependency> parse_dependency(std::string_view text);

/// A requirements.in: one dependency a line, comments, empty lines; neither options nor
/// continuations. Errors begin "line N: ".
Result<std::vector<Dependency>> parse_requirements_in(std::string_view text);

/// What uv is given: one line each, made of checked words only.
std::string to_requirements(const std::vector<Dependency>& dependencies);

}  // namespace pybox::pypi
