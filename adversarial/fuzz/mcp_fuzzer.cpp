/// Lines of an MCP client and the messages in them: what is read does not depend on how the bytes
/// arrive, and whatever is answered is one line of ASCII JSON under an id that was asked.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/strict_json.hpp"
#include "mcp/lines.hpp"
#include "mcp/message.hpp"
#include "mcp/raw_json.hpp"
#include "oracle.hpp"

namespace pybox::fuzz {
namespace {

constexpr std::size_t kLimit = 1024;

std::vector<std::string> lines_in_pieces(std::string_view bytes, std::size_t piece) {
  mcp::LineReader reader(kLimit);
  std::vector<std::string> lines;
  const auto take = [&](const std::optional<mcp::Line>& line) {
    if (line) lines.push_back(line->too_long ? "too long" : line->text);
    return line.has_value();
  };
  while (!bytes.empty()) {
    const std::size_t size = std::min(piece, bytes.size());
    reader.feed(bytes.substr(0, size));
    while (take(reader.next())) {
    }
    bytes.remove_prefix(size);
  }
  take(reader.last());
  return lines;
}

void check_line(const std::string& line) {
  require(std::all_of(line.begin(), line.end(), [](char c) { return c >= 0x20 && c < 0x7f; }),
          "a line is not ASCII");
  require(parse_json(line).has_value(), "a line is not JSON");
}

void check_parameters(const mcp::Message& message) {
  require(parse_json(message.params).has_value(), "parameters are not JSON");
  (void)mcp::protocol_version_from(message.params);
  (void)mcp::check_list_params(message.params);
  const auto call = mcp::call_params_from(message.params);
  if (call) require(parse_json(call->arguments).has_value(), "arguments are not JSON");
  const std::string cancelled = mcp::cancelled_id(message.params);
  require(mcp::usable_id(cancelled) == cancelled, "a cancelled id changes when it is read again");
}

void check_message(const mcp::Message& message) {
  std::string id = message.id;
  if (has_seeded_defect()) id += " ";
  require(mcp::usable_id(id) == id, "an id changes when it is read again");
  if (message.kind == mcp::Message::Kind::Request) require(!id.empty(), "a request without an id");
  if (message.kind == mcp::Message::Kind::Broken)
    require(!!message.fault, "broken without a fault");
  if (message.fault) check_line(mcp::error_line(id, *message.fault));
  if (!id.empty()) check_line(mcp::result_line(id, "{}"));
  if (message.kind == mcp::Message::Kind::Request && !message.fault) check_parameters(message);
}

}  // namespace
}  // namespace pybox::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = pybox::fuzz::text_of(data, size);
  const auto whole = pybox::fuzz::lines_in_pieces(bytes, bytes.size());
  pybox::fuzz::require(
      whole == pybox::fuzz::lines_in_pieces(bytes, size == 0 ? 1 : 1 + data[0] % 37),
      "pieces give other lines");
  for (const std::string& line : whole) {
    const pybox::mcp::Frame frame = pybox::mcp::read_frame(line);
    pybox::fuzz::require(!frame.fault || frame.messages.empty(), "a refused frame with messages");
    if (frame.fault) pybox::fuzz::check_line(pybox::mcp::error_line("", *frame.fault));
    for (const pybox::mcp::Message& message : frame.messages) pybox::fuzz::check_message(message);
  }
  return 0;
}
