#pragma once
/// The small JSON heads of the link's frames (link/frame.hpp), both directions.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"

namespace pybox::link {

struct HelloHead {
  Nanos wall_clock{};
  bool resumed = false;  ///< the guest was restored from a saved state
};
struct ReadyHead {
  std::string boxd_version;
  std::string kernel;
  std::string cgroup;  ///< "v2" or "v1"
  std::vector<std::string> images;
};
struct FailedHead {
  std::string message;
  std::string hint;
  bool refused = false;  ///< exit 126 instead of 125
};
struct AttachHead {
  std::string image_id;
  std::string serial;  ///< of the disk that was plugged in
};

/// What a guest holds at this moment: numbers that must not grow from run to run.
struct GuestCounters {
  std::uint64_t processes = 0;
  std::uint64_t cgroups = 0;
  std::uint64_t mounts = 0;
  std::uint64_t boxd_fds = 0;
  std::uint64_t boxd_rss_kib = 0;
};

std::string hello_head(const HelloHead& head);
std::string ready_head(const ReadyHead& head);
std::string failed_head(const FailedHead& head);
std::string attach_head(const AttachHead& head);
std::string image_ready_head(std::string_view image_id);
std::string stop_head(std::string_view reason);  ///< "cancel"
std::string stream_head(int stream);             ///< 1 or 2
std::string stdin_taken_head(std::uint64_t bytes);
std::string guest_head(const GuestCounters& counters);
std::string ask_status_head(bool guest);

Result<HelloHead> hello_from(std::string_view json);
Result<ReadyHead> ready_from(std::string_view json);
Result<FailedHead> failed_from(std::string_view json);
Result<AttachHead> attach_from(std::string_view json);
Result<std::string> image_ready_from(std::string_view json);
Result<std::string> stop_from(std::string_view json);
Result<int> stream_from(std::string_view json);
Result<std::uint64_t> stdin_taken_from(std::string_view json);
Result<GuestCounters> guest_from(std::string_view json);
Result<bool> ask_status_from(std::string_view json);

}  // namespace pybox::link
