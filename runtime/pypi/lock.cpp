#include "pypi/lock.hpp"

#include <algorithm>

#include "base/digest.hpp"
#include "base/text.hpp"

namespace pybox::pypi {

Result<Lock> parse_lock(std::string_view file_name, std::string_view text) {
  auto lock = file_name.ends_with(".toml") ? parse_pylock(text) : parse_requirements_lock(text);
  if (lock) return lock;
  return std::move(lock).error().context(visible(file_name));
}

std::string pylock_name_of(std::string_view script_name) {
  std::string stem(script_name.substr(
      0, script_name.ends_with(".py") ? script_name.size() - 3 : script_name.size()));
  std::replace(stem.begin(), stem.end(), '.', '-');
  return "pylock." + stem + ".toml";
}

std::string to_requirements(const Lock& lock) {
  std::string out;
  for (const Pin& pin : lock.pins) {
    out += pin.name + "==" + pin.version;
    for (const std::string& digest : pin.sha256) out += " --hash=sha256:" + digest;
    out += '\n';
  }
  return out;
}

std::string digest_of_pins(const Lock& lock) {
  return "sha256:" + sha256_hex(to_requirements(lock));
}

}  // namespace pybox::pypi
