/// PEP 751 locks: whatever is accepted is nothing but pins.

#include "lock_oracle.hpp"
#include "pypi/pep440.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace fuzz = pybox::fuzz;
  namespace pypi = pybox::pypi;
  const auto lock = pypi::parse_pylock(fuzz::text_of(data, size));
  if (!lock) {
    fuzz::require_showable(lock.error());
    return 0;
  }
  if (lock->requires_python) {
    fuzz::require(pypi::parse_specifiers(*lock->requires_python).has_value(), "no specifiers");
  }
  fuzz::require_harmless(*lock);
  return 0;
}
