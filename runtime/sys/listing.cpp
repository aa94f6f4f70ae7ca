#include "sys/listing.hpp"

namespace pybox::sys {

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder,
                                              std::error_code& trouble) {
  std::vector<std::filesystem::path> entries;
  std::filesystem::directory_iterator at(folder, trouble);
  for (const std::filesystem::directory_iterator end; !trouble && at != end; at.increment(trouble))
    entries.push_back(at->path());
  return entries;
}

}  // namespace pybox::sys
