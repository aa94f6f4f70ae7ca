#pragma once
/// The lines that go to the client: one JSON object each, ASCII only, so that no reader can cut
/// them at a character of its own choice (U+2028, a code page).

#include <optional>
#include <string>
#include <string_view>

namespace pybox::mcp {

/// JSON-RPC 2.0 and MCP error codes.
namespace code {
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;
constexpr int kInternalError = -32603;
constexpr int kUnsupportedProtocolVersion = -32022;  ///< since 2026-07-28
}  // namespace code

/// What is wrong with a message.
struct Fault {
  int code = code::kInvalidRequest;
  std::string message;
  std::string data;  ///< JSON text; empty: none
};

/// A text as a JSON string in ASCII; what is no UTF-8 becomes U+FFFD.
std::string json_text(std::string_view text);
/// The text of a JSON string token; nullopt when its escapes make no UTF-8 (a lone surrogate).
std::optional<std::string> text_of(std::string_view token);

/// `id` is a JSON token as usable_id() gives it. `result` is the text of an object.
std::string result_line(std::string_view id, std::string_view result);
/// An empty id is left out: the message could not be attributed.
std::string error_line(std::string_view id, const Fault& fault);
std::string progress_line(std::string_view token, unsigned progress);

}  // namespace pybox::mcp
