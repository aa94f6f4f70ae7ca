#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "campaign/run/driver.hpp"
#include "campaign/run/program.hpp"

namespace pybox::campaign {
namespace {

using nlohmann::json;

Result<json> object_from(std::string_view text, std::string_view what) {
  json value = PYBOX_TRY_CONTEXT(parse_json(text), std::string(what));
  if (value.is_object()) return value;
  return Error(ErrorKind::Protocol, std::string(what) + " is not a JSON object");
}

std::string ascii(const json& value) {
  return value.dump(-1, ' ', true, json::error_handler_t::replace);
}

}  // namespace

Result<std::string> ask_json(std::string_view nonce, std::string_view args,
                             std::string_view world) {
  return ascii({{"nonce", nonce},
                {"args", PYBOX_TRY(object_from(args, "args"))},
                {"world", PYBOX_TRY(object_from(world, "world"))}});
}

Result<std::string> driver_json(const DriverAsk& ask) {
  const auto or_null = [](const std::filesystem::path& path) {
    return path.empty() ? json() : json(path.string());
  };
  return ascii({{"nonce", ask.nonce},
                {"args", PYBOX_TRY(object_from(ask.args, "args"))},
                {"arm", ask.arm},
                {"removed", ask.removed},
                {"engine", name_of(ask.engine)},
                {"pybox", pybox_of(ask.programs).string()},
                {"boxd", (ask.programs / "boxd").string()},
                {"boxd_campaign", (ask.programs / "boxd-campaign").string()},
                {"home", ask.home.string()},
                {"scratch", ask.scratch.string()},
                {"source", or_null(ask.source)}});
}

}  // namespace pybox::campaign
