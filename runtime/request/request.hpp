#pragma once
/// What is asked for, checked and typed: the noun that cli, mcp and batch hand to an engine.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "request/limits.hpp"

namespace pybox {

enum class EngineKind { Vm, Native, Docker, Unsealed };
std::string_view name_of(EngineKind kind);
std::optional<EngineKind> engine_from(std::string_view name);

/// What the program finds below /tmp/input. Contents, not paths of this host: whoever makes a
/// Request has read them already (files/read_inputs.hpp for the command line).
/// files/check_inputs.hpp says what a list of them must hold to.
struct InputFile {
  enum class Kind { File, Folder };
  std::string name;   ///< path below /tmp/input, components separated by '/'
  std::string bytes;  ///< empty for a folder
  Kind kind = Kind::File;
};

/// Immutable once checked. `program` is the source text, `program_name` its base name in the box
/// ("main.py" for -c and MCP; "case.py" for case.py).
struct Request {
  EngineKind engine = EngineKind::Vm;
  std::string image = "stdlib";
  std::string python = "3.13";
  Nanos timeout = ceiling::kDefaultTimeout;
  std::string program_name = "main.py";
  std::string program;
  std::vector<std::string> args;
  std::vector<InputFile> inputs;
  /// Bring back what the program leaves in /tmp/output: in RunReport::files, contents included.
  bool return_files = false;
  bool cold = false;
  Limits limits;

  /// What happens to the box when this client vanishes: exec and batch run on to the box timer, MCP
  /// kills at once.
  enum class WhenOrphaned { RunOn, Kill };
  WhenOrphaned when_orphaned = WhenOrphaned::RunOn;
};

/// Checks a timeout against the ceiling. `set_by_server` adds "(set by the server)" to the refusal.
Result<Nanos> check_timeout(double seconds, Nanos ceiling, bool set_by_server = false);

/// A base name is usable as a file name in the box: one component of 1 to 255 bytes, not "." or
/// "..", valid UTF-8, no control characters.
Result<void> check_program_name(std::string_view name);

}  // namespace pybox
