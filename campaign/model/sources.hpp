#pragma once
/// Where checks, probes and drivers come from: compiled into this program, or a folder.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace pybox::campaign {

/// Texts by name. Everything is small and read whole.
struct CheckSources {
  std::map<std::string, std::string> tables;   ///< "restrictions/network.toml"
  std::map<std::string, std::string> probes;   ///< "net_connect.py", and "prelude.py"
  std::map<std::string, std::string> drivers;  ///< "kill_client.py" and what they import
};

/// What was compiled in.
const CheckSources& embedded_sources();
/// campaign/expected_unmet.txt as it was compiled in.
std::string_view embedded_expected_unmet();

/// AREA/*.toml, probes/*.py and drivers/*.py below `folder`. Error kind Usage: no such folder, or
/// no table in it.
Result<CheckSources> read_sources(const std::filesystem::path& folder);

}  // namespace pybox::campaign
