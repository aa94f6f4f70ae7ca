#pragma once
/// One client of the supervisor: its socket, the frames it sends and the bytes it has yet to read.

#include <poll.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "link/frame.hpp"
#include "sys/fd.hpp"

namespace pybox::vm {

class Session {
 public:
  Session(std::uint64_t id, sys::Fd fd) : id_(id), fd_(std::move(fd)) {}

  std::uint64_t id() const { return id_; }
  /// False: it went away, or it does not read what it is sent. Nothing more is sent or read.
  bool is_open() const { return fd_.is_open(); }

  /// `reading` false holds it back, because the guest does not take what it already sent.
  pollfd watch(bool reading) const;
  void handle(const pollfd& watched);
  std::optional<link::Frame> next_frame() { return reader_.next(); }
  void send(const link::Frame& frame);
  /// Tells the client that its run could not be served.
  void fail(std::uint64_t client_run, const Error& error);

 private:
  void read_some();
  void write_some();

  std::uint64_t id_;
  sys::Fd fd_;
  link::FrameReader reader_;
  std::string outgoing_;
};

}  // namespace pybox::vm
