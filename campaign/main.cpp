/// `campaign`: the evidence engine. Everything is in cli/.

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "campaign/cli/commands.hpp"
#include "cli/terminal/exit_code.hpp"
#include "cli/terminal/process_setup.hpp"

int main(int argc, char** argv) {
  pybox::cli::prepare_process();
  try {
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    return pybox::campaign::run_command(words);
  } catch (const std::exception& fault) {
    // Nothing in PyBox throws; this is for a library that does against its promise.
    std::fprintf(stderr, "error: campaign failed: %s\nhint: please report this\n", fault.what());
    return pybox::cli::exit_code::kCannot;
  }
}
