#include "campaign/model/sources.hpp"

namespace pybox::campaign {

/// Made while building (ci/cmake/embed.cmake).
namespace embedded {
const std::map<std::string, std::string>& tables();
const std::map<std::string, std::string>& drivers();
const std::map<std::string, std::string>& probes();
const std::map<std::string, std::string>& lists();
}  // namespace embedded

const CheckSources& embedded_sources() {
  static const CheckSources kSources{embedded::tables(), embedded::probes(), embedded::drivers()};
  return kSources;
}

std::string_view embedded_expected_unmet() {
  const auto found = embedded::lists().find("expected_unmet.txt");
  return found == embedded::lists().end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace pybox::campaign
