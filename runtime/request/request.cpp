#include "request/request.hpp"

#include <fmt/core.h>

#include <cmath>

#include "base/text.hpp"

namespace pybox {

std::string_view name_of(EngineKind kind) {
  switch (kind) {
    case EngineKind::Vm: return "vm";
    case EngineKind::Native: return "native";
    case EngineKind::Docker: return "docker";
    case EngineKind::Unsealed: return "unsealed";
  }
  return "unsealed";
}

std::optional<EngineKind> engine_from(std::string_view name) {
  for (const EngineKind kind :
       {EngineKind::Vm, EngineKind::Native, EngineKind::Docker, EngineKind::Unsealed}) {
    if (name == name_of(kind)) return kind;
  }
  return std::nullopt;
}

Result<Nanos> check_timeout(double seconds, Nanos ceiling, bool set_by_server) {
  if (std::isnan(seconds)) return Error(ErrorKind::Usage, "the timeout is not a number");
  // Compared as numbers: 1e99 s does not fit into Nanos.
  if (seconds > pybox::seconds(ceiling)) {
    return Error(ErrorKind::Refused,
                 fmt::format("a timeout of {} s is above the ceiling of {} s{}", seconds,
                             pybox::seconds(ceiling), set_by_server ? " (set by the server)" : ""))
        .hint(set_by_server
                  ? fmt::format("ask for at most {} s", pybox::seconds(ceiling))
                  : fmt::format("ask for at most {} s, or raise `max_timeout_s` in config.json "
                                "(at most {})",
                                pybox::seconds(ceiling),
                                pybox::seconds(ceiling::kMaxTimeoutOperator)));
  }
  const Nanos timeout = seconds > 0 ? from_seconds(seconds) : Nanos(0);
  if (timeout <= Nanos(0)) {
    return Error(ErrorKind::Usage, "the timeout must be more than 0 seconds");
  }
  return timeout;
}

Result<void> check_program_name(std::string_view name) {
  const auto refuse = [](std::string why) { return Error(ErrorKind::Refused, std::move(why)); };
  if (name.empty() || name == "." || name == "..") {
    return refuse("the program needs its own file name");
  }
  if (name.size() > 255) return refuse("the program's file name is longer than 255 bytes");
  if (!is_utf8(name)) {
    return refuse("the program's file name `" + visible(name) + "` is not UTF-8");
  }
  if (name.find('/') != std::string_view::npos) {
    return refuse("the program's file name `" + visible(name) + "` holds a slash");
  }
  if (visible(name) != name) {
    return refuse("the program's file name `" + visible(name) +
                  "` holds control or invisible characters");
  }
  return {};
}

}  // namespace pybox
