#pragma once
/// The host's side of files that come back: what boxd sent is checked again, as if a guest had been
/// taken over, before anybody sees a name or a byte of it.

#include <string_view>

#include "base/result.hpp"
#include "receipt/report.hpp"

namespace pybox::files {

/// Puts the contents from the body of a Report frame to the files its head announced. Afterwards
/// every ReturnedFile has its `content`; names are plain paths (files/name.hpp) in byte order, at
/// most ceiling::kReturnedFiles of ceiling::kReturnedBytes in all; digests are those of the
/// contents. Anything else is an Error of kind Protocol.
///
/// Names that would meet on a file system that folds case or normalises refuse the whole transfer:
/// an answer, not an error. Status becomes Refused, nothing is returned, every file is listed among
/// the omitted with its reason.
Result<void> take_contents(Files& files, std::string_view body);

/// Nothing is handed over after all: every returned file is listed among the omitted with this
/// reason, and its content dropped.
void leave_behind(Files& files, std::string_view reason);

/// Keeps at most `most` of the omitted files in the list; `omitted_total` still counts them all.
void limit_omitted(Files& files, std::size_t most);

}  // namespace pybox::files
