#include "files/fold.hpp"

#include <utf8proc.h>

#include <cstdlib>

namespace pybox::files {

std::string folded(std::string_view name) {
  utf8proc_uint8_t* mapped = nullptr;
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(name.data()),
                   static_cast<utf8proc_ssize_t>(name.size()), &mapped, options);
  // It fails on bad UTF-8 only, which the precondition excludes: the bytes then stand for
  // themselves.
  if (size < 0) return std::string(name);
  std::string text(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(size));
  std::free(mapped);
  return text;
}

}  // namespace pybox::files
