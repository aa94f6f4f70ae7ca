#pragma once
/// The saved state of a guest that has booted and served nobody: a file that QEMU wrote, with a
/// trailer of ours that QEMU never reads. Whole or absent, mode 0600.
///
/// Trailer, 32 bytes little endian: "PBXSTATE" | u64 size of QEMU's part | u64 checksum of it | u64
/// 0. The checksum finds a cut or rotten file. It does not stop someone who may write to this
/// folder: that one may replace everything else in it too.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "sys/fd.hpp"

namespace pybox::vm {

/// Names a state by everything it depends on: each part is one fact ("qemu …", "kernel sha256:…").
/// 32 hex digits.
std::string state_key(const std::vector<std::string>& parts);

/// What tells one build of a host program from another without reading it: path, size, inode and
/// time of change. Error when the file is absent.
Result<std::string> file_identity(const std::filesystem::path& file);

class StateStore {
 public:
  explicit StateStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// `write` lets QEMU write into the descriptor; then the file is sealed and takes its name, and
  /// states of other keys are removed.
  Result<void> save(const std::string& key, const std::function<Result<void>(int fd)>& write) const;

  enum class Found { Whole, Absent, Damaged };
  struct Opened {
    Found found = Found::Absent;
    sys::Fd file;  ///< Whole: at its beginning
  };
  /// A damaged file is removed.
  Opened open(const std::string& key) const;
  void remove(const std::string& key) const;

 private:
  std::filesystem::path path_of(const std::string& key) const;
  std::filesystem::path folder_;
};

}  // namespace pybox::vm
