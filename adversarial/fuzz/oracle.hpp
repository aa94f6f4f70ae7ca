#pragma once
/// What a fuzzer holds a reader to, beyond not crashing: each target checks what it read with
/// require(). A target that could not fail would prove nothing, so each has a seeded defect: with
/// PYBOX_FUZZ_DEFECT set it spoils what was read as a faulty reader would, and its corpus must then
/// fail (ci/fuzz holds it to that).

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"

namespace pybox::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "oracle: %s\n", what);
  std::abort();
}

/// Whether this run is to fail.
inline bool has_seeded_defect() {
  static const bool seeded = std::getenv("PYBOX_FUZZ_DEFECT") != nullptr;
  return seeded;
}

/// An error goes to a terminal: it must be one short line of harmless text.
inline void require_showable(const Error& error) {
  const std::string message = error.message();
  require(message.size() < 2000, "a message is long");
  require(visible(message) == message, "a message holds characters that a terminal acts on");
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace pybox::fuzz
