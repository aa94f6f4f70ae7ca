#pragma once
/// The QEMU Machine Protocol: one JSON object a line, both ways (QEMU: docs/interop/qmp-spec.rst).
/// Passive: bytes in, messages out. The peer is QEMU, which a guest may have taken over, so every
/// line is bounded and checked.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"

namespace pybox::vm {

enum class QmpKind { Greeting, Return, Failure, Event };

struct QmpMessage {
  QmpKind kind = QmpKind::Event;
  std::uint64_t id = 0;  ///< of the command answered; Return and Failure only
  std::string name;      ///< Event: its name; Failure: its class
  std::string text;      ///< Failure: the description; Return: the value as JSON
};

using QmpValue = std::variant<std::string, bool, std::uint64_t>;
using QmpArguments = std::vector<std::pair<std::string, QmpValue>>;

/// A command line, newline included.
std::string qmp_command(std::string_view command, std::uint64_t id, const QmpArguments& arguments);

/// One line without its newline. Error kind Protocol when it is no QMP message.
Result<QmpMessage> qmp_message(std::string_view line);

/// A text field of a returned object, or nullopt.
std::optional<std::string> qmp_text(std::string_view returned, std::string_view key);

constexpr Bytes kMaxQmpLine = 1_MiB;

/// Cuts the stream into messages.
class QmpReader {
 public:
  void feed(std::string_view bytes) { buffer_ += bytes; }
  /// nullopt: no whole line yet. Error: a line that is too long or no message.
  Result<std::optional<QmpMessage>> next();

 private:
  std::string buffer_;
};

}  // namespace pybox::vm
