#pragma once
/// Why pip or uv could not do what the builder asked, told from what they printed. pip gives one
/// exit code for everything.

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace pybox::builder {

enum class PipTrouble {
  NoNetwork,       ///< the index cannot be found or reached
  NoCertificate,   ///< it answers, but with a certificate nobody here trusts
  WrongHash,       ///< a file is not the one that was pinned
  UnknownPackage,  ///< the index has no package of that name
  UnknownVersion,  ///< it has the package, not that version
  NoWheel,         ///< it has that version, but no wheel for this Python and platform
  Unsatisfiable,   ///< uv: no versions fit together
  NoSpace,
  Unknown,
};

struct PipFinding {
  PipTrouble trouble = PipTrouble::Unknown;
  std::string subject;  ///< "numpy==2.5.4" or "numpy"; empty when unknown
};

/// `said` is what pip printed; `log` what it wrote with --log, which names each file it passed
/// over. Both are untrusted.
PipFinding trouble_in_pip(std::string_view said, std::string_view log);
PipFinding trouble_in_uv(std::string_view said);

/// The error for the user. `python` is the version wanted, `said` the tool's words, of which an
/// unknown trouble shows the end.
Error pip_error(const PipFinding& finding, std::string_view python, std::string_view said);

}  // namespace pybox::builder
