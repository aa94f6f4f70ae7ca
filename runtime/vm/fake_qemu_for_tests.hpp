#pragma once
/// A QEMU with a guest in it, as far as vm/ can see: a forked child that speaks QMP on one end and
/// boxd's frames on another, and breaks as it is told.

#include <signal.h>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "base/units.hpp"
#include "sys/file.hpp"
#include "sys/state_dirs.hpp"
#include "vm/qemu_process.hpp"

namespace pybox::vm {

/// How one QEMU behaves. Without anything set, well.
struct FakeQemu {
  /// Kills itself before (even) or after (odd) its answer number n / 2: the QMP greeting is number
  /// 0, then each command and each frame.
  std::optional<int> killed_at;
  Nanos slow{};                     ///< before its greeting
  bool silent = false;              ///< the guest never answers
  bool internal_error = false;      ///< its processors stop as soon as it has agreed on QMP
  std::string console;              ///< what the guest prints; it then powers off
  bool lost_after_console = false;  ///< it is killed instead
  std::string words;                ///< printed at once; it then ends with code 1
  std::set<std::string> refuses;    ///< each of these commands once
  int broken_mounts = 0;            ///< so many images the guest cannot mount
};

/// Starts it in place of QEMU.
Result<QemuProcess> start_fake(const FakeQemu& fake);

struct TempHome {
  sys::StateDirs dirs;
  TempHome() {
    ::signal(SIGPIPE, SIG_IGN);  // as pybox does; a QEMU that ends is noticed where it is read
    dirs.home = std::filesystem::temp_directory_path() / ("pybox-vm-" + random_hex(8));
    dirs.run = dirs.home / "run";
  }
  ~TempHome() { (void)sys::remove_tree(dirs.home).has_value(); }
  TempHome(const TempHome&) = delete;
  TempHome& operator=(const TempHome&) = delete;
};

}  // namespace pybox::vm
