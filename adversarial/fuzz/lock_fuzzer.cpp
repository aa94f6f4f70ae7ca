/// Requirements locks: whatever is accepted is nothing but pins.

#include "lock_oracle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace fuzz = pybox::fuzz;
  namespace pypi = pybox::pypi;
  const auto lock = pypi::parse_requirements_lock(fuzz::text_of(data, size));
  if (!lock) {
    fuzz::require_showable(lock.error());
    return 0;
  }
  fuzz::require(lock->text == fuzz::text_of(data, size), "another text is kept");
  fuzz::require_harmless(*lock);
  return 0;
}
