#include <nlohmann/json.hpp>

#include "cli/commands/vm.hpp"

namespace pybox::cli {

std::string vm_logs_json(std::string_view supervisor, std::string_view console,
                         std::string_view builder) {
  const nlohmann::json logs = {{"schema_version", 1},
                               {"supervisor", supervisor},
                               {"console", console},
                               {"builder", builder}};
  return logs.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace pybox::cli
