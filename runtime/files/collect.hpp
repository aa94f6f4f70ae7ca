#pragma once
/// Takes what a program left in a folder, as a hostile program would leave it. For a folder that
/// nobody can change any more: the processes of its box are dead. (A file that changes all the same
/// is left behind and listed.)
///
/// Regular files with one name come back, in byte order of their paths, while count, bytes and
/// names last; one that does not fit is skipped and listed, and smaller ones after it still come.
/// Links, hard links, devices, FIFOs and sockets are listed, never opened. Names that
/// files/name.hpp does not let through are listed too. So is a folder that cannot be entered or
/// holds nothing, as one entry.
///
/// Bounded: memory by one listing of each folder on the way and by what comes back, time by the
/// number of entries, which the box's file system caps (fs.inodes), descriptors by kDeepestPath.

#include "files/reach.hpp"
#include "receipt/report.hpp"
#include "request/limits.hpp"

namespace pybox::files {

struct CollectLimits {
  std::size_t files = ceiling::kReturnedFiles;
  Bytes bytes = ceiling::kReturnedBytes;
  Bytes names = ceiling::kReturnedNames;
  std::size_t listed = ceiling::kOmittedListed;  ///< of those left behind; the rest is counted
};

/// `folder` is open, O_PATH will do. Status Received, or NotReceived when it cannot be read at all.
Files collect(int folder, const CollectLimits& limits, const Reach& reach = kConfined);

}  // namespace pybox::files
