#pragma once
/// The user's settings file, $XDG_CONFIG_HOME/pybox/config.json: one JSON object, comments allowed.
/// `PYBOX_ENGINE` and flags override it (docs/architecture.md).

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/units.hpp"
#include "request/limits.hpp"
#include "request/request.hpp"

namespace pybox {

/// A value that the file does not name is absent; its default belongs to whoever uses it.
struct Settings {
  std::optional<EngineKind> engine;           ///< key `engine`: "vm" or "native"
  Nanos max_timeout = ceiling::kMaxTimeout;   ///< key `max_timeout_s`: the ceiling, at most 300
  std::optional<std::uint32_t> ready_boxes;   ///< key `ready_boxes`: 0 to 64
  std::optional<Bytes> vm_memory;             ///< key `vm_memory_bytes`: 512 MiB to 1 TiB
  std::optional<std::uint32_t> vm_cpus;       ///< key `vm_cpus`: 1 to 256
  std::optional<std::string> vm_accelerator;  ///< key `vm_accelerator`: "auto", "kvm" or "tcg"
};

/// Reads the file; an absent one gives the defaults. Errors have kind Usage and name the file and
/// the key: not JSON, an unknown key, a wrong type, a value out of range.
Result<Settings> load_settings(const std::filesystem::path& file);

/// The engines a person can pick by name with `--engine`, PYBOX_ENGINE or the file. Others are
/// asked for by flags of their own. Error of kind Usage: "<where> names …".
Result<EngineKind> engine_choice(std::string_view name, std::string_view where);

}  // namespace pybox
