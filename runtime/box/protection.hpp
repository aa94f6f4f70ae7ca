#pragma once
/// Every protection of a box, once, under the names of the contract: what it stops, how it is
/// applied and how it is read back. The seal's checks, the campaign and the reports use these
/// names.

#include <span>
#include <string_view>

namespace pybox::box {

struct Protection {
  std::string_view name;
  std::string_view stops;      ///< what a program could do without it
  std::string_view applied;    ///< by which call
  std::string_view read_back;  ///< from where, before the program's first instruction
};

/// Those of the seal, in the order in which it is read.
std::span<const Protection> protections();
/// nullptr when there is no such name.
const Protection* find_protection(std::string_view name);

}  // namespace pybox::box
