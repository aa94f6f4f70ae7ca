#pragma once
/// A lock: the exact packages of an image, each with the digests of the files that may be installed
/// for it. Read before anything starts; what a lock may not say is refused with line and reason.
///
/// Two forms are read, under the same rules: requirements text, as `uv pip compile
/// --generate-hashes` writes it, and pylock.toml (PEP 751). A lock holds `name==version
/// --hash=sha256:…` and nothing that could lead an installer elsewhere: no option, index, link,
/// path, extra or marker. The installer is never given the text itself but to_requirements().

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "pypi/pin.hpp"

namespace pybox::pypi {

constexpr std::size_t kMaxLockBytes = std::size_t{1} << 20U;
/// A pylock.toml says the same with more words.
constexpr std::size_t kMaxPylockBytes = std::size_t{4} << 20U;
constexpr std::size_t kMaxLockPins = 1000;
constexpr std::size_t kMaxPinHashes = 2000;

struct Lock {
  std::vector<Pin> pins;  ///< sorted by name, no name twice, never empty
  std::string text;       ///< the file as it was read
  std::string digest;     ///< "sha256:…" over `text`: one byte changed is another lock
  /// Of a pylock.toml: valid specifiers (pep440.hpp), and what [tool.pybox] says it was made for
  /// (`pybox image lock SCRIPT.py`): the digest of the script's block and the Python.
  std::optional<std::string> requires_python;
  std::optional<std::string> made_for_block;
  std::optional<std::string> made_for_python;
};

/// Reads the form that the file's name says: "pylock.toml", "pylock.NAME.toml" and whatever else
/// ends in ".toml" is PEP 751, all others are requirements text. Errors have kind Refused and begin
/// with the name, then "line N: " when a line is to blame.
Result<Lock> parse_lock(std::string_view file_name, std::string_view text);

/// The two forms, without the name. In a pylock.toml the addresses of wheels and indexes are not
/// used: the builder has its own index, and the digest decides.
Result<Lock> parse_requirements_lock(std::string_view text);
Result<Lock> parse_pylock(std::string_view text);

/// What pip or uv is given: one line a pin, sorted, nothing but checked words.
std::string to_requirements(const Lock& lock);

/// The file that `pybox image lock DIR/job.py` writes and `--with-deps` looks for:
/// "pylock.job.toml" (PEP 751 wants one word between the dots, so others in the script's name
/// become '-').
std::string pylock_name_of(std::string_view script_name);

/// "sha256:…" over what is pinned, however it was written: the same for two locks with equal pins.
std::string digest_of_pins(const Lock& lock);

}  // namespace pybox::pypi
