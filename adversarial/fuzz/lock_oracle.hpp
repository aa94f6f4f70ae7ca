#pragma once
/// What holds for every lock that was accepted, in whichever form. Checked letter by letter and not
/// with the readers' own functions: what the installer is given must be pins and nothing else.

#include <set>
#include <string>

#include "oracle.hpp"
#include "pypi/lock.hpp"

namespace pybox::fuzz {

inline bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

inline void require_pin(std::string_view line) {
  constexpr std::string_view kName = "abcdefghijklmnopqrstuvwxyz0123456789-";
  constexpr std::string_view kVersion =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.!+_-";
  constexpr std::string_view kHash = " --hash=sha256:";
  const std::size_t equals = line.find("==");
  require(equals != std::string_view::npos && equals > 0, "a line without a name");
  for (const char c : line.substr(0, equals)) require(is_one_of(c, kName), "a letter of a name");
  require(line.front() != '-' && line[equals - 1] != '-', "a name like an option");
  line.remove_prefix(equals + 2);
  const std::size_t version = line.find(' ');
  require(version != std::string_view::npos && version > 0, "a pin without version or hash");
  for (const char c : line.substr(0, version))
    require(is_one_of(c, kVersion), "a version's letter");
  line.remove_prefix(version);
  while (!line.empty()) {
    require(line.starts_with(kHash), "something that is not a hash");
    line.remove_prefix(kHash.size());
    require(line.size() >= 64, "a short hash");
    for (const char c : line.substr(0, 64)) require(is_one_of(c, "0123456789abcdef"), "a digit");
    line.remove_prefix(64);
  }
}

inline void require_harmless(pypi::Lock lock) {
  if (has_seeded_defect()) lock.pins.front().version += " --index-url=https://example.org";
  const std::string text = pypi::to_requirements(lock);
  std::set<std::string_view> names;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    require(end != std::string_view::npos, "a line without end");
    require_pin(rest.substr(0, end));
    require(names.insert(rest.substr(0, rest.find("=="))).second, "one name twice");
    rest.remove_prefix(end + 1);
  }
  require(names.size() == lock.pins.size() && !names.empty(), "another number of pins");
  const auto again = pypi::parse_requirements_lock(text);
  require(again && again->pins == lock.pins, "read back, other pins");
}

}  // namespace pybox::fuzz
