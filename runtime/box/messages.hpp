#pragma once
/// What boxd, the keeper and the not yet started program say to each other over SOCK_SEQPACKET
/// pairs: fixed-size messages, one per packet. Only PyBox's own code ever holds an end: the
/// program's end is close-on-exec.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace pybox::box {

enum class Say : std::uint32_t {
  // boxd to keeper
  Mapped = 1,  ///< the id map is written; with it come the descriptors of the box's
  ///< cgroup; a: 1 when it is one folder to clone into (v2), 0 when they are `tasks` files
  Go,  ///< the program starts now: arm the box timer (a: nanoseconds)
  // keeper to boxd
  Keeping,     ///< the keeper has given up its rights and waits; b: 1 when it reaps every orphan.
               ///< With it come its timer and, opened, max_user_namespaces of its user namespace
  Ended,       ///< the program ended; a: 1 when by a signal, b: code or signal number
  TimerFired,  ///< the box timer ended the box
  Expired,     ///< the box was not started in time
  // program to boxd
  Sealed,  ///< everything applied; a: 1 when memfd execution is refused by the pid namespace,
           ///< text: the answers of try_probes
  // boxd to program
  Start,  ///< execute the interpreter
  // keeper or program to boxd
  Failed,  ///< a: errno, text: what was being done
  // keeper to program
  RootReady,  ///< the root is pivoted; the old one may still be attached
  // a control arm's stand-in to boxd (box/maker.hpp)
  Cloned,  ///< a: the keeper's pid; its pidfd comes along
};

struct Message {
  Say say = Say::Failed;
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::array<char, 104> text{};
};

/// What may come along with a message: descriptors, or the sender's credentials (man 7 unix).
constexpr std::size_t kMostDescriptors = 8;

/// Async-signal-safe. False when the other side is gone. `descriptors`, at most kMostDescriptors,
/// go along.
bool send_message(int socket, const Message& message, std::span<const int> descriptors = {});
/// As receive_message below. What came along of `type` (SCM_RIGHTS, close-on-exec, or
/// SCM_CREDENTIALS) goes to the front of `along`, its size in bytes to `came`.
bool receive_message(int socket, Message& message, int type, std::span<std::byte> along,
                     std::size_t& came);
/// Blocks for one whole message. False when the other side is gone or the packet is malformed.
bool receive_message(int socket, Message& message);
Message failure(int code, std::string_view doing);

}  // namespace pybox::box
