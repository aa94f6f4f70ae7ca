#pragma once
/// Lines on their way to the client. Nothing here ever blocks: a client that does not read is
/// noticed by the time since it last took a byte.

#include <optional>
#include <string>
#include <string_view>

#include "base/units.hpp"
#include "sys/fd.hpp"

namespace pybox::mcp {

class Outbox {
 public:
  /// Takes the private copy of stdout.
  explicit Outbox(sys::Fd fd);

  /// Adds a line and writes what goes at once.
  void send(std::string_view line, Nanos now);
  /// Writes what goes now. After it broken() may be true.
  void flush(Nanos now);

  int fd() const { return fd_.get(); }
  bool empty() const { return pending_.size() == sent_; }
  std::size_t size() const { return pending_.size() - sent_; }
  /// The reader has gone.
  bool broken() const { return broken_; }
  void give_up();
  /// Since when the client has taken nothing; nullopt when nothing waits.
  std::optional<Nanos> waiting_since() const;

 private:
  long write_some();

  enum class Kind { Socket, Pipe, File };
  sys::Fd fd_;
  Kind kind_ = Kind::Pipe;
  std::string pending_;
  std::size_t sent_ = 0;
  Nanos moved_at_{};
  bool broken_ = false;
};

}  // namespace pybox::mcp
