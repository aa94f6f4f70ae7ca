#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "mcp/message.hpp"
#include "mcp/raw_json.hpp"

namespace pybox::mcp {

using nlohmann::json;

namespace {

constexpr std::array<std::string_view, 4> kLegacyVersions = {"2024-11-05", "2025-03-26",
                                                             "2025-06-18", "2025-11-25"};
constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kClientKey = "io.modelcontextprotocol/clientInfo";

Fault invalid_request(std::string why) { return {code::kInvalidRequest, std::move(why), {}}; }
Fault invalid_params(std::string why) { return {code::kInvalidParams, std::move(why), {}}; }
Error unfit(std::string why) { return {ErrorKind::Usage, std::move(why)}; }

bool is_hex(char c) {
  return std::string_view("0123456789abcdefABCDEF").find(c) != std::string::npos;
}

/// JSON by its grammar (RFC 8259), which allows more than parse_json(): duplicate keys, any depth,
/// escapes of lone surrogates. The latter are what the library's own check refuses.
bool is_json(std::string_view line) {
  if (line.find('\0') != std::string_view::npos) return false;
  if (json::accept(line)) return true;
  std::string text(line);
  for (std::size_t at = text.find("\\u"); at != std::string::npos; at = text.find("\\u", at + 2)) {
    if (at + 6 > text.size() || (text[at + 2] != 'd' && text[at + 2] != 'D')) continue;
    if (std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at) + 2,
                    text.begin() + static_cast<std::ptrdiff_t>(at) + 6, is_hex)) {
      text.replace(at + 2, 4, "0041");
    }
  }
  return json::accept(text);
}

/// Era and `_meta` of a request. A message is modern when it names a version or capabilities where
/// 2026-07-28 puts them; discovery exists only there.
void read_meta(const json* params, Message& message) {
  const bool discovers = message.method == "server/discover";
  const json* meta = nullptr;
  if (params != nullptr && params->contains("_meta")) meta = &(*params)["_meta"];
  if (meta != nullptr && meta->is_null()) meta = nullptr;
  if (meta != nullptr && !meta->is_object()) {
    if (discovers) message.era = Era::Modern;
    message.fault = invalid_params("`_meta` must be an object");
    return;
  }
  const bool names_era =
      meta != nullptr && (meta->contains(kVersionKey) || meta->contains(kCapabilitiesKey));
  if (!names_era && !discovers) return;
  message.era = Era::Modern;
  if (!names_era || !meta->contains(kVersionKey) || !(*meta)[kVersionKey].is_string()) {
    message.fault = invalid_params(std::string("`_meta` needs the text `") + kVersionKey + "`");
    return;
  }
  const auto& version = (*meta)[kVersionKey].get_ref<const std::string&>();
  if (version != kModernVersion) {
    message.fault = {code::kUnsupportedProtocolVersion, "Unsupported protocol version",
                     R"({"supported":[)" + json_text(kModernVersion) + R"(],"requested":)" +
                         json_text(std::string_view(version).substr(0, 256)) + "}"};
    return;
  }
  if (!meta->contains(kCapabilitiesKey) || !(*meta)[kCapabilitiesKey].is_object()) {
    message.fault =
        invalid_params(std::string("`_meta` needs the object `") + kCapabilitiesKey + "`");
  } else if (meta->contains(kClientKey) && !(*meta)[kClientKey].is_object()) {
    message.fault = invalid_params(std::string("`") + kClientKey + "` must be an object");
  }
}

void read_params(const json& value, std::string_view raw, Message& message) {
  message.params = "{}";
  const auto found = value.find("params");
  if (found != value.end() && !found->is_object()) {
    message.fault = invalid_params("`params` must be an object");
    return;
  }
  if (found != value.end()) message.params = raw_member(raw, "params");
  if (message.kind == Message::Kind::Request) {
    read_meta(found == value.end() ? nullptr : &*found, message);
  }
}

Message broken(std::string id, std::string why) {
  Message message;
  message.id = std::move(id);
  message.fault = invalid_request(std::move(why));
  return message;
}

/// Keys are compared exactly; others, "Method" among them, mean nothing.
Message read_message(const json& value, std::string_view raw) {
  if (!value.is_object()) return broken({}, "a message must be an object");
  const bool has_id = value.contains("id");
  std::string id = has_id ? usable_id(raw_member(raw, "id")) : std::string();
  const auto version = value.find("jsonrpc");
  if (version == value.end() || *version != "2.0") {
    return broken(std::move(id), "`jsonrpc` must be \"2.0\"");
  }
  const bool has_outcome = value.contains("result") || value.contains("error");
  const auto method = value.find("method");
  if (method == value.end()) {
    if (!has_outcome) return broken(std::move(id), "`method` is missing");
    Message response;
    response.kind = Message::Kind::Response;
    return response;
  }
  if (has_outcome) return broken(std::move(id), "a message is a request or a response, not both");
  if (!method->is_string()) return broken(std::move(id), "`method` must be text");
  if (has_id && id.empty()) {
    return broken({}, "`id` must be a whole number or text of at most 4096 bytes");
  }
  Message message;
  message.kind = has_id ? Message::Kind::Request : Message::Kind::Notification;
  message.id = std::move(id);
  message.method = method->get<std::string>();
  read_params(value, raw, message);
  return message;
}

/// A line that is JSON and that parse_json() refused all the same is still answered under its id.
Frame refused_frame(std::string_view line, const Error& why) {
  Frame frame;
  if (!is_json(line)) {
    frame.fault = Fault{code::kParseError, "Parse error: " + why.message(), {}};
    return frame;
  }
  frame.messages.push_back(broken(usable_id(raw_member(line, "id")), why.message()));
  return frame;
}

Frame read_batch(const json& value, std::string_view line) {
  Frame frame;
  frame.is_batch = true;
  if (value.empty() || value.size() > kMaxBatch) {
    frame.fault = invalid_request("a batch holds 1 to " + std::to_string(kMaxBatch) + " messages");
    return frame;
  }
  const std::vector<std::string_view> raw = raw_elements(line);
  for (std::size_t i = 0; i < value.size(); ++i) {
    frame.messages.push_back(read_message(value[i], raw[i]));
  }
  return frame;
}

/// Precondition: an object's text that parse_json() took before.
json parsed_message(std::string_view params) {
  auto value = parse_json(params);
  return value ? std::move(value).value() : json::object();
}

}  // namespace

Frame read_frame(std::string_view line) {
  const auto value = parse_json(line);
  if (!value) return refused_frame(line, value.error());
  if (value->is_array()) return read_batch(*value, line);
  Frame frame;
  frame.messages.push_back(read_message(*value, line));
  return frame;
}

Result<std::string> protocol_version_from(std::string_view params) {
  const json value = parsed_message(params);
  const auto version = value.find("protocolVersion");
  if (version == value.end() || !version->is_string()) {
    return unfit("`protocolVersion` must be text");
  }
  for (const char* key : {"capabilities", "clientInfo"}) {
    if (value.contains(key) && !value[key].is_object()) {
      return unfit(std::string("`") + key + "` must be an object");
    }
  }
  return version->get<std::string>();
}

Result<void> check_list_params(std::string_view params) {
  const json value = parsed_message(params);
  const auto cursor = value.find("cursor");
  if (cursor == value.end() || cursor->is_null()) return {};
  return unfit("there is no such `cursor`: the list has one page");
}

Result<CallParams> call_params_from(std::string_view params) {
  const json value = parsed_message(params);
  CallParams call;
  const auto name = value.find("name");
  if (name == value.end() || !name->is_string()) return unfit("`name` must be text");
  call.tool = name->get<std::string>();
  call.arguments = "{}";
  const auto arguments = value.find("arguments");
  // Clients that have nothing to say send null.
  if (arguments != value.end() && !arguments->is_null()) {
    if (!arguments->is_object()) return unfit("`arguments` must be an object");
    call.arguments = raw_member(params, "arguments");
  }
  call.progress_token = usable_id(raw_member(raw_member(params, "_meta"), "progressToken"));
  return call;
}

std::string cancelled_id(std::string_view params) {
  return usable_id(raw_member(params, "requestId"));
}

std::string_view negotiate(std::string_view asked) {
  const auto* found = std::find(kLegacyVersions.begin(), kLegacyVersions.end(), asked);
  return found == kLegacyVersions.end() ? kNewestLegacyVersion : *found;
}

}  // namespace pybox::mcp
