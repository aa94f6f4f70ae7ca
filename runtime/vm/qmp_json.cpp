#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "vm/qmp.hpp"

namespace pybox::vm {

using nlohmann::json;

namespace {

std::string text_at(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && found->is_string()
             ? found->get<std::string>()
             : std::string();
}

}  // namespace

Result<QmpLine> qmp_line(std::string_view line) {
  const json value = PYBOX_TRY_CONTEXT(parse_json(line), "QEMU's control protocol");
  if (value.is_object()) {
    if (value.contains("QMP")) return QmpLine{QmpLine::Kind::Greeting, {}, {}};
    if (value.contains("return"))
      return QmpLine{QmpLine::Kind::Return, {}, text_at(value["return"], "status")};
    if (value.contains("error"))
      return QmpLine{QmpLine::Kind::Failure, visible(text_at(value["error"], "desc")), {}};
    if (value.contains("event")) return QmpLine{QmpLine::Kind::Event, text_at(value, "event"), {}};
  }
  return Error(ErrorKind::Protocol,
               "QEMU's control protocol: unexpected line " + visible(line.substr(0, 200)));
}

std::string qmp_command(std::string_view name, std::string_view arguments) {
  std::string line = R"({"execute":")" + std::string(name) + '"';
  if (!arguments.empty()) line.append(R"(,"arguments":)").append(arguments);
  return line + "}\n";
}

std::string qmp_text_argument(std::string_view key, std::string_view value) {
  return json({{std::string(key), std::string(value)}})
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace pybox::vm
