#pragma once
/// The framed messages between an engine and boxd, the same over a socket pair (native) and
/// virtio-serial (vm).
///
/// Wire format, little endian, 32 bytes of header then head then body:
///   u32 magic "PBX1" | u8 type | u8[3] zero | u64 run | u32 head size | u32 body size | u32 zero |
///   u32 check: FNV-1a (32 bit) over the 28 bytes before it
/// `run` says which run a frame belongs to (0: the link itself). A reader that meets anything but a
/// valid header searches for the next one, so that a link outlives a client that died in mid-frame.
/// The head is JSON (at most 1 MiB), the body raw bytes (at most 24 MiB).

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/units.hpp"

namespace pybox::link {

enum class FrameType : std::uint8_t {
  // engine to boxd
  Hello = 1,  ///< head {"time_ns": wall clock, "resumed": bool}; body: 64 bytes of entropy. Answer:
              ///< Ready
  Run = 2,    ///< head: order (link/order.hpp); body: program then input files, in order
  Stdin = 3,  ///< body: bytes for the program's stdin; an empty body is its end
  Stop = 4,   ///< head {"reason": "cancel"}: kill the box now
  ClientGone =
      5,  ///< the client of this run vanished; its deadline is disarmed, the box timer decides
  AttachImage = 6,  ///< head {"image_id", "serial"}: a disk was plugged in; mount it. Answer:
                    ///< ImageReady or Failed
  Shutdown = 7,     ///< vm only: sync and power off
  AskGuest = 8,     ///< vm only: what a long-lived guest holds. Answer: GuestIs
  // boxd to engine
  Ready = 32,  ///< head {"boxd_version","kernel","cgroup","images":[image_id…]}
  Output =
      33,  ///< head {"stream": 1|2}; body: bytes of that stream as they came, up to the kept size
  Report = 34,  ///< head: report_to_json; body: contents of returned files, in order
  Failed =
      35,  ///< head {"message","hint","refused"}: the frame with this run id could not be served
  ImageReady = 36,  ///< head {"image_id"}
  Started = 38,     ///< the program of this run starts now: the engine's guard counts from here;
                    ///< head: seal_to_json, which the report then leaves out
  StdinTaken =
      37,  ///< head {"bytes": n}: so many bytes of stdin were consumed; window is kStdinWindow
  GuestIs = 39,  ///< head: guest_head (link/control.hpp)
  // between a client and the VM's supervisor; never reach boxd (vm/supervisor.hpp)
  AskStatus = 64,  ///< head {"guest": bool: boxd is to be asked too}. Answer: Status
  StopVm = 65,     ///< the supervisor ends the VM and itself; its closing the socket is the answer
  Status = 66,     ///< head: status_to_json (vm/status.hpp)
};

struct Frame {
  FrameType type = FrameType::Hello;
  std::uint64_t run = 0;
  std::string head;
  std::string body;
};

/// Name of the virtio-serial port that carries the link into a guest.
constexpr std::string_view kGuestPort = "org.pybox.link";

constexpr Bytes kMaxHead = 1_MiB;
constexpr Bytes kMaxBody = 24_MiB;
/// Unacknowledged stdin bytes an engine may have on the way.
constexpr Bytes kStdinWindow = 256_KiB;

/// Precondition: sizes within kMaxHead and kMaxBody.
std::string encode(const Frame& frame);

/// Incremental, passive parser: feed it bytes, take frames until there is none left, feed again: so
/// it never holds more than one frame and what was fed last. Garbage is skipped and counted; a
/// frame of an unknown type is skipped whole.
class FrameReader {
 public:
  void feed(std::string_view bytes);
  std::optional<Frame> next();
  /// Bytes thrown away while searching for a header.
  std::uint64_t skipped() const { return skipped_; }

 private:
  void seek_magic();
  void skip(std::size_t count);

  std::string buffer_;
  std::size_t start_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace pybox::link
