#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "vm/qmp.hpp"

namespace pybox::vm {
namespace {

using nlohmann::json;

Error no_message(std::string_view line) {
  return {ErrorKind::Protocol,
          "QEMU sent something that is not a QMP message: " + visible(line.substr(0, 200))};
}

const json* find(const json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto at = object.find(key);
  return at == object.end() ? nullptr : &*at;
}

std::string text_at(const json& object, std::string_view key) {
  const json* value = find(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

std::uint64_t id_of(const json& message) {
  const json* id = find(message, "id");
  return id != nullptr && id->is_number_unsigned() ? id->get<std::uint64_t>() : 0;
}

}  // namespace

std::string qmp_command(std::string_view command, std::uint64_t id, const QmpArguments& arguments) {
  json message = {{"execute", command}, {"id", id}};
  for (const auto& [name, value] : arguments) {
    std::visit([&](const auto& held) { message["arguments"][name] = held; }, value);
  }
  return message.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<QmpMessage> qmp_message(std::string_view line) {
  const Result<json> parsed = parse_json(line);
  if (!parsed || !parsed->is_object()) return no_message(line);
  const json& message = *parsed;
  if (const json* value = find(message, "return")) {
    return QmpMessage{QmpKind::Return, id_of(message), {}, value->dump()};
  }
  if (const json* error = find(message, "error")) {
    return QmpMessage{QmpKind::Failure, id_of(message), text_at(*error, "class"),
                      text_at(*error, "desc")};
  }
  if (const std::string event = text_at(message, "event"); !event.empty()) {
    return QmpMessage{QmpKind::Event, 0, event, {}};
  }
  if (find(message, "QMP") != nullptr) return QmpMessage{QmpKind::Greeting, 0, {}, {}};
  return no_message(line);
}

std::optional<std::string> qmp_text(std::string_view returned, std::string_view key) {
  const Result<json> parsed = parse_json(returned);
  if (!parsed) return std::nullopt;
  const json* value = find(*parsed, key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return value->get<std::string>();
}

Result<std::optional<QmpMessage>> QmpReader::next() {
  for (;;) {
    const std::size_t end = buffer_.find('\n');
    if (end == std::string::npos ? buffer_.size() > kMaxQmpLine.count : end > kMaxQmpLine.count) {
      return Error(ErrorKind::Protocol, "QEMU sent a QMP line of more than 1 MiB");
    }
    if (end == std::string::npos) return std::optional<QmpMessage>{};
    std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    return std::optional(PYBOX_TRY(qmp_message(line)));
  }
}

}  // namespace pybox::vm
