#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "mcp/wire.hpp"

namespace pybox::mcp {

using nlohmann::json;

std::string json_text(std::string_view text) {
  return json(text).dump(-1, ' ', true, json::error_handler_t::replace);
}

std::optional<std::string> text_of(std::string_view token) {
  const json value = json::parse(token, nullptr, /*allow_exceptions=*/false);
  if (!value.is_string()) return std::nullopt;
  return value.get<std::string>();
}

std::string result_line(std::string_view id, std::string_view result) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", id, result);
}

std::string error_line(std::string_view id, const Fault& fault) {
  const std::string named = id.empty() ? "" : fmt::format(R"("id":{},)", id);
  const std::string data = fault.data.empty() ? "" : fmt::format(R"(,"data":{})", fault.data);
  return fmt::format(R"({{"jsonrpc":"2.0",{}"error":{{"code":{},"message":{}{}}}}})", named,
                     fault.code, json_text(fault.message), data);
}

std::string progress_line(std::string_view token, unsigned progress) {
  return fmt::format(
      R"({{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{},"progress":{}}}}})",
      token, progress);
}

}  // namespace pybox::mcp
