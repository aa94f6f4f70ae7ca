#pragma once
/// Where PyBox keeps things. Only HOME and PATH may be relied on (docs/architecture.md).

#include <filesystem>

#include "base/result.hpp"

namespace pybox::sys {

struct StateDirs {
  std::filesystem::path
      home;  ///< $PYBOX_HOME, default $XDG_DATA_HOME/pybox, default ~/.local/share/pybox
  std::filesystem::path
      run;  ///< sockets: $XDG_RUNTIME_DIR/pybox, or home/run when unset, absent or foreign
  std::filesystem::path
      config;  ///< $XDG_CONFIG_HOME/pybox/config.json, default ~/.config/pybox/config.json

  std::filesystem::path keys() const { return home / "keys"; }
  std::filesystem::path images() const { return home / "images"; }
  std::filesystem::path receipts() const { return home / "receipts"; }
  std::filesystem::path vm() const {
    return home / "vm";
  }  ///< kernel, initramfs, saved states, log
  std::filesystem::path cache() const { return home / "cache"; }  ///< downloaded packages
};

/// Reads the environment; creates nothing. An explicit $PYBOX_HOME moves `run` to home/run too, so
/// that two installations never share a socket. Error: no HOME and no PYBOX_HOME.
Result<StateDirs> state_dirs();

}  // namespace pybox::sys
