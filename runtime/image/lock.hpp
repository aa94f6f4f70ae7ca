#pragma once
/// A lock: the exact packages of an image, each with the digests of the files that may be installed
/// for it. Read before anything starts; what a lock may not say is refused with line and reason.
///
/// Two forms are read, under the same rules: requirements text, as `uv pip compile
/// --generate-hashes` writes it, and pylock.toml (PEP 751). A lock holds `name==version
/// --hash=sha256:…` and nothing that could lead an installer elsewhere: no option, index, link,
/// path, extra or marker. The installer is never given the text itself but to_requirements().

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "image/pin.hpp"

namespace pybox::image {

constexpr std::size_t kMaxLockBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxLockPins = 1000;
constexpr std::size_t kMaxPinHashes = 2000;

struct Lock {
  std::vector<Pin> pins;  ///< sorted by name, no name twice, never empty
  std::string text;       ///< the file as it was read
  std::string digest;     ///< "sha256:…" over `text`: one byte changed is another lock
};

/// Requirements text. Errors have kind Refused and begin "line N: " when a line is to blame; the
/// caller adds the file's name as context.
Result<Lock> parse_requirements_lock(std::string_view text);

/// What pip or uv is given: one line a pin, sorted, nothing but checked words.
std::string to_requirements(const Lock& lock);

/// "sha256:…" over what is pinned, however it was written: the same for two locks with equal pins.
std::string digest_of_pins(const Lock& lock);

}  // namespace pybox::image
