#include "campaign/model/blobs.hpp"

#include <system_error>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

constexpr Bytes kLargestBlob = 64_MiB;

}  // namespace

bool is_digest(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::filesystem::path Blobs::place(std::string_view name) const {
  return folder_ / name.substr(0, 2) / name.substr(2);
}

Result<std::string> Blobs::keep(std::string_view bytes) const {
  std::string name = sha256_hex(bytes);
  const std::filesystem::path file = place(name);
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return name;
  PYBOX_TRY(sys::ensure_private_dir(file.parent_path()));
  PYBOX_TRY(sys::replace_file(file, bytes, 0600, sys::Durability::Synced));
  return name;
}

Result<std::string> Blobs::read(std::string_view name) const {
  if (!is_digest(name))
    return Error(ErrorKind::Evidence, "`" + visible(name) + "` is not a name of a blob");
  auto bytes = sys::read_file(place(name), kLargestBlob);
  if (!bytes) return std::move(bytes).error().as(ErrorKind::Evidence);
  if (sha256_hex(bytes.value()) != name)
    return Error(ErrorKind::Evidence, "raw/" + std::string(name.substr(0, 2)) + "/" +
                                          std::string(name.substr(2)) +
                                          " is not what its name says");
  return bytes;
}

}  // namespace pybox::campaign
