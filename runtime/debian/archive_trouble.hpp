#pragma once
/// Why apt could not get packages, told from what it printed. apt gives one exit code for
/// everything.

#include <string_view>

#include "base/error.hpp"
#include "sys/runner.hpp"

namespace pybox::debian {

enum class ArchiveTrouble {
  NoNetwork,   ///< the mirror's host cannot be found or reached
  NotAMirror,  ///< something answers there, but it is no Debian archive with this suite
  NotTrusted,  ///< the signature does not hold
  Clock,       ///< signed for another time
  NoSpace,
  Unknown,
};

/// Precondition: apt ran in the C locale.
ArchiveTrouble trouble_in(const sys::ToolResult& result);

/// The error for the user. `where` names the mirror ("the host's own mirror", a URL),
/// `suite` what was wanted of it.
Error archive_error(const sys::ToolResult& result, std::string_view where,
                    std::string_view suite = "trixie");

}  // namespace pybox::debian
