#include "request/limits.hpp"

#include <algorithm>

namespace pybox {

// The writable tmpfs is memory of the box. Half of the limit leaves room for the interpreter, so
// that a program that fills /tmp meets ENOSPC and not the out-of-memory killer.
Limits limits_for_image(std::string_view image) {
  if (image == "stdlib") {
    return {.memory = 128_MiB,
            .pids = 32,
            .cpu = MilliCores{500},
            .stdout_bytes = ceiling::kOutputStreamBytes,
            .stderr_bytes = ceiling::kOutputStreamBytes,
            .tmp = 64_MiB,
            .tmp_inodes = 4096};
  }
  return {.memory = 512_MiB,
          .pids = 64,
          .cpu = MilliCores{1000},
          .stdout_bytes = ceiling::kOutputStreamBytes,
          .stderr_bytes = ceiling::kOutputStreamBytes,
          .tmp = 256_MiB,
          .tmp_inodes = 16384};
}

Nanos expiry_for(Nanos timeout) {
  using std::chrono::seconds;
  return std::max<Nanos>(seconds(120), timeout + seconds(90));
}

}  // namespace pybox
