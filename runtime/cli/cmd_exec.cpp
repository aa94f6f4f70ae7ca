#include "cli/commands.hpp"
#include "cli/exec.hpp"
#include "cli/exec_words.hpp"

namespace pybox::cli {
namespace {

/// Says that this build holds no vm engine; nothing weaker takes its place.
class AbsentEngine final : public engine::Engine {
 public:
  Result<engine::RunAnswer> run(const link::RunOrder&, const engine::Console&) override {
    return Error(ErrorKind::HostCannot, "this build holds no vm engine")
        .hint("`pybox exec --engine native` runs the box on this host's own kernel");
  }
};

Result<int> run(const Words& words, const Surroundings& around) {
  const ExecOptions options = PYBOX_TRY(exec_options(words, around.terminal));
  ExecParts parts;
  parts.terminal = around.terminal;
  parts.make_engine = [](EngineKind kind) -> std::unique_ptr<engine::Engine> {
    if (kind == EngineKind::Native) return engine::make_native_engine();
    return std::make_unique<AbsentEngine>();
  };
  parts.find_image = image::find_image;
  return run_exec(options, parts);
}

}  // namespace

const Command kExec = exec_command(run);

}  // namespace pybox::cli
