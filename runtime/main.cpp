/// `pybox`: the program for people. Everything is in cli/.

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "base/crashpoint.hpp"
#include "builder/box.hpp"
#include "builder/guest.hpp"
#include "cli/commands/run_command.hpp"
#include "cli/commands/vm.hpp"
#include "cli/terminal/exit_code.hpp"
#include "cli/terminal/process_setup.hpp"

int main(int argc, char** argv) {
  if (pybox::builder::is_builder_guest(argc > 0 ? argv[0] : nullptr))
    pybox::builder::run_builder_guest();
  pybox::cli::prepare_process();
  try {
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
#ifdef PYBOX_CRASHPOINTS
    if (!words.empty() && words[0] == "--list-crashpoints") return pybox::crash::list(), 0;
#endif
    if (!words.empty() && words[0] == pybox::cli::kVmSupervise) return pybox::cli::supervise_vm();
    if (!words.empty() && words[0] == pybox::builder::kBuilderBox)
      return pybox::builder::run_builder_box(words);
    return pybox::cli::run_command(words);
  } catch (const std::exception& fault) {
    // Nothing in PyBox throws; this is for a library that does against its promise.
    std::fprintf(stderr, "error: PyBox failed: %s\nhint: please report this\n", fault.what());
    return pybox::cli::exit_code::kCannot;
  }
}
