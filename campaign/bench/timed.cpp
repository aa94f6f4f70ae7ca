#include "campaign/bench/timed.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"

namespace pybox::campaign {

std::string trouble_of(const sys::ToolResult& run) {
  constexpr std::size_t kShown = 600;
  std::string text = run.cancelled   ? "it was cancelled"
                     : run.timed_out ? "it did not end in time"
                     : run.status.by_signal
                         ? "it died of signal " + std::to_string(run.status.code)
                         : "it ended with exit code " + std::to_string(run.status.code);
  std::string_view err = run.err;
  while (err.ends_with('\n')) err.remove_suffix(1);
  if (!err.empty()) text += ": " + visible(err.substr(err.size() - std::min(kShown, err.size())));
  return text;
}

}  // namespace pybox::campaign
