#pragma once
/// Reads every protection of a sealed box back from the kernel, from outside, before the program's
/// first instruction. What each name stops and how it is read: box/protection.hpp.

#include "box/box.hpp"
#include "receipt/report.hpp"

namespace pybox::box {

/// What the two processes said when they were ready; everything else is read from /proc and the
/// cgroup.
struct ReadyBox {
  SealedNotice program;  ///< Say::Sealed
  Message keeper;        ///< Say::Keeping
};

/// Looks at what does not depend on a box, once; for when there is time before verify_seal.
void prepare_verification();

/// The program's process must be blocked waiting for Start. `verified` is true when every check is
/// ok.
Seal verify_seal(Box& box, const ReadyBox& ready);

}  // namespace pybox::box
