#pragma once
/// The guest as it was saved after its first boot and one empty box of PyBox's own, which is gone,
/// before any box of a user: `pybox vm start` resumes it in a fraction of a second. It fits only
/// the very machine that wrote it, so its name holds a key over everything that machine is made of,
/// and its own size and checksum.
///
/// $PYBOX_HOME/vm/saved/KEY-CHECKSUM-SIZE.state, mode 0600; at most one, whole or absent.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sys/fd.hpp"
#include "vm/config.hpp"

namespace pybox::vm {

/// What a machine is made of. A difference in any field makes a saved state useless.
struct MachineFacts {
  std::filesystem::path qemu;  ///< its path, size and time of change stand for its version
  std::vector<std::string> arguments;
  std::string kernel_id;
  std::string initramfs;  ///< digest, boxd included
  std::string image_id;
  std::string processor;  ///< the host's: TSC rate, and under KVM its features
};

/// Hex, 32 digits. Error: QEMU's file cannot be examined.
Result<std::string> state_key(const MachineFacts& facts);

/// The first block of /proc/cpuinfo without what changes from minute to minute.
std::string processor_facts(std::string_view cpuinfo);

/// Finds accidents (a full disk, a torn write, a flipped bit), not forgers: whoever may write to
/// PYBOX_HOME owns the VM anyway.
std::uint64_t checksum(std::string_view bytes);

class StateStore {
 public:
  explicit StateStore(const sys::StateDirs& dirs) : folder_(dirs.vm() / "saved") {}

  /// The file for this key, or nullopt.
  std::optional<std::filesystem::path> find(const std::string& key) const;
  /// Opens a state and checks size and checksum. Error kind Evidence when they are wrong.
  Result<sys::Fd> open(const std::filesystem::path& file) const;
  /// An empty private file for QEMU to write into.
  Result<sys::Fd> begin() const;
  /// Gives what was written its name and removes every other state.
  Result<void> commit(const sys::Fd& written, const std::string& key) const;
  /// Removes everything but `keep`.
  void remove_others(const std::optional<std::filesystem::path>& keep) const;

 private:
  std::filesystem::path partial() const { return folder_ / "partial"; }
  std::filesystem::path folder_;
};

}  // namespace pybox::vm
