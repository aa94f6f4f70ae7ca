#pragma once
/// Which keys of events, reports and environment a recording keeps. What is not here is dropped.

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace pybox::replay {

struct KeysOf {
  std::string_view event;
  std::span<const std::string_view> keys;
};

/// Of the event of that name, besides `seq`, `prev`, `at_us`, `utc` and `event`; empty for an
/// unknown one, which is dropped whole.
std::span<const std::string_view> keys_of_event(std::string_view event);
bool is_known_event(std::string_view event);

/// Facts about the machine that explain a result and tell nothing of whose it is.
bool is_fact_allowed(std::string_view name);

/// Top-level keys of a run report.
bool is_report_key(std::string_view name);

/// One line each, for the digest of the rules.
std::string key_rules();

}  // namespace pybox::replay
