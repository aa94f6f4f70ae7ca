#include "image/lock.hpp"

#include "base/digest.hpp"

namespace pybox::image {

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

}  // namespace pybox::image
