#pragma once
/// A file of lines that is only ever appended to: each line carries its number, the digest of the
/// line before it and its times, so that none can be changed, dropped or moved unnoticed.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.hpp"
#include "base/units.hpp"
#include "campaign/model/line_head.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {

class ChainedLines {
 public:
  /// A new, empty file, on the disk when this returns. Its errno is EEXIST when it is there
  /// already.
  static Result<ChainedLines> create(const std::filesystem::path& file);
  /// Goes on behind `next` lines, the last of which has the digest `last`; `file` appends.
  ChainedLines(sys::Fd file, std::uint64_t next, std::string last, Nanos origin)
      : file_(std::move(file)), next_(next), last_(std::move(last)), origin_(origin) {}

  /// Writes what `make` gives (without a newline) as the next line. Unsynced: it survives us, not a
  /// power cut, until sync().
  Result<void> append(const std::function<Result<std::string>(const LineHead&)>& make,
                      sys::Durability durability = sys::Durability::Synced);
  Result<void> sync() const;
  /// Cuts off what stands behind the whole lines, a torn one.
  Result<void> cut_to(std::uint64_t bytes) const;

 private:
  sys::Fd file_;
  std::uint64_t next_ = 0;
  std::string last_;  ///< digest of the last line
  Nanos origin_{};    ///< monotonic time of the start
};

}  // namespace pybox::campaign
