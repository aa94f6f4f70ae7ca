#pragma once
/// One run, from checked words to a receipt on disk and an exit code: the words, the terminal and
/// the files in front of the conductor (run/conductor.hpp).
///
/// Order: what is wrong with the words (exit 2, no receipt), what is refused (126), what PyBox
/// cannot do here (125), the run itself. From the refusals on, every end writes a receipt.

#include <functional>

#include "base/result.hpp"
#include "builder/script_image.hpp"
#include "cli/terminal/terminal.hpp"
#include "cli/words/exec_words.hpp"
#include "run/conductor.hpp"

namespace pybox::cli {

/// The parts of PyBox below; unit tests bring their own.
struct ExecParts {
  Terminal terminal;
  run::Parts run;
  /// For --with-deps.
  std::function<Result<builder::ScriptImage>(const sys::StateDirs&, const builder::ScriptNeeds&)>
      image_for_script;
};

/// Gives the exit code. An Error has kind Usage and nothing was done; every other trouble is
/// printed here and stands in the receipt.
Result<int> run_exec(const ExecOptions& options, const ExecParts& parts);

}  // namespace pybox::cli
