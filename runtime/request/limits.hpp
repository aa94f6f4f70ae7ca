#pragma once
/// The limits of a run, and where they come from: the image decides, the request picks the time.
/// README.md has those of `stdlib`.

#include <string_view>

#include "base/units.hpp"

namespace pybox {

struct Limits {
  Bytes memory;            ///< memory of the box, swap excluded (swap is off)
  std::uint32_t pids = 0;  ///< tasks: processes and threads, as cgroup pids.max counts
  MilliCores cpu;          ///< CPU quota
  Bytes stdout_bytes;      ///< kept of stdout; the rest is counted and hashed
  Bytes stderr_bytes;
  Bytes tmp;  ///< size of the box's writable tmpfs; below `memory`, so that a full disk is ENOSPC
  std::uint32_t tmp_inodes = 0;
};

/// `stdlib`: 128 MiB, 32 tasks, half a core. Every other image: 512 MiB, 64 tasks, one core.
Limits limits_for_image(std::string_view image);

namespace ceiling {
constexpr Nanos kDefaultTimeout = std::chrono::seconds(2);
constexpr Nanos kMaxTimeout = std::chrono::seconds(30);  ///< default ceiling
constexpr Nanos kMaxTimeoutOperator =
    std::chrono::seconds(300);                              ///< the most an operator may allow
constexpr Nanos kBoxTimerGrace = std::chrono::seconds(1);   ///< keeper's timer: limit + this
constexpr Nanos kHostGuardGrace = std::chrono::seconds(2);  ///< host's own clock: limit + this
/// The whole program text. Larger than any hand-written program, small enough for one frame.
constexpr Bytes kProgramBytes = 4_MiB;
constexpr Bytes kInputBytes = 8_MiB;
/// Files and folders handed in; their names travel in one frame head of at most 1 MiB.
constexpr std::size_t kInputEntries = 2048;
constexpr Bytes kInputNames = 256_KiB;  ///< all names together
/// What may come back from /tmp/output. Names are bounded too: they stand in every receipt, and an
/// MCP receipt has 64 KiB in all.
constexpr std::size_t kReturnedFiles = 64;
constexpr Bytes kReturnedBytes = 8_MiB;
constexpr Bytes kReturnedNames = 16_KiB;    ///< all names together
constexpr std::size_t kOmittedListed = 64;  ///< of those left behind; the rest is counted
constexpr Bytes kOutputStreamBytes = Bytes{65536};
}  // namespace ceiling

/// How long a box may exist at all: 120 s, or limit + 90 s if that is larger.
Nanos expiry_for(Nanos timeout);

}  // namespace pybox
