#include "mcp/environment.hpp"

#include <fmt/core.h>
#include <sys/utsname.h>

#include "base/text.hpp"
#include "store/registry.hpp"
#include "sys/state_dirs.hpp"
#include "vm/client.hpp"

namespace pybox::mcp {
namespace {

std::string trouble(const Error& error) {
  std::string text = visible(error.message());
  if (!error.hint().empty()) text += " (" + visible(error.hint()) + ")";
  return text;
}

std::string engine_text(const Operator& allowed, const Result<sys::StateDirs>& dirs) {
  if (allowed.engine == EngineKind::Native) return "native, on this host's kernel";
  if (!dirs) return "vm, unknown: " + trouble(dirs.error());
  const auto connection = vm::connect(*dirs);
  if (!connection) return "vm, not running: " + trouble(connection.error());
  const auto status = vm::ask_status(*connection, vm::AskGuest::No);
  if (!status) return "vm, does not answer: " + trouble(status.error());
  return fmt::format("vm, running ({})", visible(status->accelerator));
}

std::string image_line(const Operator& allowed, const Result<sys::StateDirs>& dirs,
                       const std::string& name) {
  if (!dirs) return fmt::format("image {}: unknown\n", name);
  const auto image = store::find_image(*dirs, name, allowed.python);
  return fmt::format("image {}: {}\n", name, image ? "ready" : trouble(image.error()));
}

std::string_view packages_text(Packages packages) {
  switch (packages) {
    case Packages::None: return "none: scripts may use the standard library and what an image has";
    case Packages::Locked: return "locked: only sets that were built before";
    case Packages::Any: return "any: resolved, pinned by digest and built once, then run offline";
  }
  return "none";
}

}  // namespace

std::string environment_text(const Operator& allowed) {
  utsname names{};
  ::uname(&names);
  const auto dirs = sys::state_dirs();
  std::string text = fmt::format(
      "PyBox: {}\nPython: {}\nplatform: {} {}\nengine: {}\nsandbox: sealed box, verified before "
      "each start; no network, none of this host's files\n",
      PYBOX_VERSION, allowed.python, names.sysname, names.machine, engine_text(allowed, dirs));
  for (const std::string& name : allowed.images) text += image_line(allowed, dirs, name);
  text += fmt::format("packages: {}\n", packages_text(allowed.packages));
  text += fmt::format(
      "limits: {} s by default, {} s at most; {} bytes of each stream; {} calls a session\n",
      seconds(allowed.default_of(Tool::ExecutePython)),
      seconds(allowed.ceiling_of(Tool::ExecutePython)), allowed.output_ceiling(),
      allowed.max_calls);
  return text;
}

}  // namespace pybox::mcp
