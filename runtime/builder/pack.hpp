#pragma once
/// What a builder hands back: one stream of folders and files. It was written in the builder, so it
/// is read as hostile. The format can express nothing but folders and plain files: no link, device,
/// owner, time, setuid bit.
///
///   pybox-pack 1\n
///   KIND SIZE NAME_SIZE\n NAME BYTES      for each entry, a folder before what is in it
///   end COUNT 0\n                         a stream without it was cut off
///
/// KIND is d (folder, SIZE 0), f (file) or x (executable file). NAME is a relative path.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "sys/fd.hpp"

namespace pybox::builder {

struct PackLimits {
  std::uint64_t entries = 200'000;
  Bytes bytes{std::uint64_t{4} << 30U};  ///< of all contents
};

struct PackEntry {
  char kind = 'f';
  std::uint64_t size = 0;
  std::string path;  ///< checked: relative, no empty, "." or ".." component, no control character
};

/// Reads a pack from an open file, entry after entry. Errors have kind Evidence.
class PackReader {
 public:
  explicit PackReader(sys::Fd file, PackLimits limits = {});

  /// The next entry; nullopt after the end mark. What the last one's content left unread is
  /// skipped.
  Result<std::optional<PackEntry>> next();
  /// The whole content of the entry, which must have at most `limit` bytes.
  Result<std::string> content(std::size_t limit);
  /// Writes the content of the entry to `to`.
  Result<void> copy_content(const sys::Fd& to);

 private:
  Result<void> fill();
  Result<std::string> line();
  Result<std::string> take(std::size_t size);
  Result<std::optional<PackEntry>> entry_of(std::string_view header);

  sys::Fd file_;
  PackLimits limits_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t left_ = 0;  ///< of the current entry's content
  std::uint64_t entries_ = 0;
  std::uint64_t bytes_ = 0;
  bool started_ = false;
};

/// Every name of a pack path is checked by this: nullopt, or what is wrong with it.
std::optional<std::string> trouble_with_pack_path(std::string_view path);

/// The content of one file of a pack, at most `limit` bytes; Evidence when it is not there.
Result<std::string> file_in_pack(const std::filesystem::path& pack, std::string_view path,
                                 std::size_t limit);

/// Writes everything below `prefix` (which ends in '/') into the existing, empty folder `target`.
/// Follows no link and makes none; a name that stands twice is an Error. Files get 0644 or 0755.
Result<void> unpack_below(const std::filesystem::path& pack, std::string_view prefix,
                          const std::filesystem::path& target, Progress& progress,
                          PackLimits limits = {});

}  // namespace pybox::builder
