#pragma once
/// Values, lines of output and whole reports, each cleaned by the rules of text_rules.hpp in the
/// shape it has, so that it still says what it said. Only *_json.cpp use it.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "replay/clean/text_rules.hpp"

namespace pybox::replay {

/// Borrows both.
class Values {
 public:
  Values(const Allowed& allowed, Counts& counts) : allowed_(&allowed), counts_(&counts) {}

  /// Every text in a value. `key`: the name it stands under; digests stay where they belong.
  void clean_value(nlohmann::json& value, std::string_view key);
  /// Line by line: one that is JSON is cleaned value by value.
  std::string clean_output(std::string_view bytes);
  /// A run report; one that has nothing to clean comes back byte for byte. Streams keep counts and
  /// digests that go with what is left of them.
  Result<std::string> clean_report(const std::string& text);

 private:
  void clean_object(nlohmann::json& value);
  void clean_stream(nlohmann::json& stream);
  std::string clean_line(std::string_view line);

  const Allowed* allowed_;
  Counts* counts_;
};

}  // namespace pybox::replay
