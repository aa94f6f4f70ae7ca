#pragma once
/// QEMU's control protocol (QEMU: docs/interop/qmp-spec.rst), as a client that waits for each
/// answer.

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/units.hpp"
#include "sys/fd.hpp"

namespace pybox::vm {

/// What one line of QMP is; pure.
struct QmpLine {
  enum class Kind { Greeting, Return, Failure, Event } kind = Kind::Event;
  std::string text;    ///< Failure: the description; Event: its name
  std::string status;  ///< Return: the text of its "status" field, if it is an object that has one
};
/// Error of kind Protocol for anything else than one object of these kinds.
Result<QmpLine> qmp_line(std::string_view line);
/// {"execute": …}\n; `arguments` is a JSON object or empty.
std::string qmp_command(std::string_view name, std::string_view arguments);
/// A JSON object of one text field.
std::string qmp_text_argument(std::string_view key, std::string_view value);

/// Lines out of a byte stream. A line of more than kMaxLine bytes is an error, so that a peer that
/// never ends one cannot fill our memory.
class LineSplitter {
 public:
  static constexpr std::size_t kMaxLine = std::size_t{1} << 20U;
  Result<void> feed(std::string_view bytes);
  std::optional<std::string> next();

 private:
  std::string pending_;
  std::deque<std::string> lines_;
};

class Qmp {
 public:
  Qmp() = default;
  explicit Qmp(sys::Fd socket) : socket_(std::move(socket)) {}

  /// Takes the greeting and leaves negotiation mode.
  Result<void> greet(Nanos patience);
  /// Runs one command and waits for its answer; `pass_fd` >= 0 goes along (SCM_RIGHTS). Error: QEMU
  /// refused (its words), ended, or did not answer in time.
  Result<QmpLine> run(std::string_view name, std::string_view arguments = {},
                      Nanos patience = std::chrono::seconds(10), int pass_fd = -1);
  /// Asks query-migrate until the migration ended. Error: it failed.
  Result<void> finish_migration(Nanos patience);

  int fd() const { return socket_.get(); }
  /// Reads away events that arrived unasked. False when QEMU closed the socket.
  bool drain();

 private:
  Result<QmpLine> read_line(Nanos deadline);

  sys::Fd socket_;
  LineSplitter lines_;
};

}  // namespace pybox::vm
