#pragma once
/// One run, from checked words to a receipt on disk and an exit code.
///
/// Order: what is wrong with the words (exit 2, no receipt), what is refused (126), what PyBox
/// cannot do here (125), the run itself. From the refusals on, every end writes a receipt.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/program_source.hpp"
#include "cli/terminal.hpp"
#include "engine/engine.hpp"
#include "image/registry.hpp"
#include "image/script_image.hpp"
#include "request/request.hpp"

namespace pybox::cli {

struct ExecOptions {
  ProgramSource program;
  std::vector<std::string> args;
  std::optional<std::string> engine;
  std::string image = "stdlib";
  std::optional<std::string> python;  ///< absent: 3.13, or what the script's block says
  bool with_deps = false;             ///< install what the script's block names (PEP 723)
  std::optional<double> timeout_s;    ///< absent: 2 s, or the ceiling where that is lower
  StdinSource stdin_source;
  std::vector<std::string> inputs;    ///< paths of this host
  std::optional<std::string> output;  ///< the folder that returned files go to
  std::optional<std::string> receipt_file;
  bool json = false;
  bool quiet = false;
  bool cold = false;
};

/// The parts of PyBox below; unit tests bring their own.
struct ExecParts {
  Terminal terminal;
  /// The engine lives at least as long as these parts.
  std::function<engine::Engine&(EngineKind)> engine_for;
  std::function<Result<image::Image>(const sys::StateDirs&, std::string_view, std::string_view)>
      find_image;
  /// For --with-deps.
  std::function<Result<image::ScriptImage>(const sys::StateDirs&, const image::ScriptNeeds&)>
      image_for_script;
};

/// Gives the exit code. An Error has kind Usage and nothing was done; every other trouble is
/// printed here and stands in the receipt.
Result<int> run_exec(const ExecOptions& options, const ExecParts& parts);

}  // namespace pybox::cli
