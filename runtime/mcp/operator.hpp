#pragma once
/// What the person who configured the server allows. A client can only ask for less: the tools'
/// schemas show these limits, and every call is checked against them again.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "builder/script_image.hpp"
#include "request/request.hpp"

namespace pybox::mcp {

enum class Tool { RunPython, ExecutePython, CheckEnvironment, ValidateScript };
std::string_view name_of(Tool tool);
std::optional<Tool> tool_from(std::string_view name);

/// What becomes of dependencies that a script names (execute_python).
enum class Packages { None, Locked, Any };
std::string_view name_of(Packages packages);
std::optional<Packages> packages_from(std::string_view name);

namespace ceiling {
constexpr std::size_t kCodeBytes = 65536;
constexpr std::size_t kFiles = 16;
constexpr std::size_t kFileBytes = std::size_t{256} * 1024;  ///< of all files in, decoded
constexpr std::uint32_t kOutputBytes = 8192;  ///< kept of a stream, unless set higher
constexpr std::uint32_t kDefaultOutputBytes = 4096;
constexpr double kMinTimeout = 0.01;  ///< s; below it nothing could start
}  // namespace ceiling

struct Operator {
  EngineKind engine = EngineKind::Vm;
  std::vector<std::string> images = {"stdlib"};  ///< the first one is the default
  std::string python = "3.13";
  std::vector<Tool> tools = {Tool::RunPython};
  Packages packages = Packages::None;
  /// With `locked` and `any`: an image that has what a script needs. Called in worker threads; may
  /// take minutes.
  std::function<Result<builder::ScriptImage>(const builder::ScriptNeeds&)> script_image;
  std::optional<Nanos> max_timeout;      ///< as given; the tools have defaults of their own
  std::optional<Nanos> default_timeout;  ///< as given
  std::optional<std::uint32_t> max_output;
  std::uint32_t max_calls = 32;
  std::uint32_t max_messages = 256;
  std::uint32_t max_concurrent = 1;

  bool offers(Tool tool) const;
  /// run_python: 2 s; execute_python: 30 s; or what the operator set.
  Nanos ceiling_of(Tool tool) const;
  Nanos default_of(Tool tool) const;
  /// Bytes kept of each stream at most, and when a call does not say.
  std::uint32_t output_ceiling() const;
  std::uint32_t default_output(Tool tool) const;
};

/// Do the numbers and lists fit each other? Error kind Usage naming the flag.
Result<void> check_operator(const Operator& allowed);

}  // namespace pybox::mcp
