#include "cli/commands/commands.hpp"
#include "cli/commands/mcp_packages.hpp"
#include "cli/terminal/exit_code.hpp"
#include "cli/terminal/process_setup.hpp"
#include "cli/words/mcp_words.hpp"
#include "mcp/server.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::cli {
namespace {

int code_for(mcp::Ending ending) {
  switch (ending) {
    // A client ends its servers in any of these ways.
    case mcp::Ending::EndOfInput:
    case mcp::Ending::ReaderGone:
    case mcp::Ending::Signal: return exit_code::kOk;
    case mcp::Ending::Interrupt: return exit_code::kInterrupted;
    case mcp::Ending::TooManyMessages: return exit_code::kRefused;
    case mcp::Ending::Stalled: return exit_code::kCannot;
  }
  return exit_code::kCannot;
}

Result<int> run(const Words& words, const Surroundings& around) {
  // Without a home nothing can run, but a client may still ask what there is.
  const auto dirs = sys::state_dirs();
  const Settings settings = dirs ? PYBOX_TRY(load_settings(dirs->config)) : Settings{};
  mcp::Operator allowed = PYBOX_TRY(mcp_operator(words, settings));
  allow_packages(allowed);
  if (around.terminal.in_is_terminal) {
    say("pybox mcp waits for an MCP client's messages on stdin; a client starts it by itself "
        "(docs/mcp.md)\n");
  }
  const CancelSignals signals = PYBOX_TRY(CancelSignals::watch());
  mcp::Stdio stdio = PYBOX_TRY(mcp::take_stdio());
  return code_for(PYBOX_TRY(mcp::serve(allowed, std::move(stdio), signals.fd(), code_for)));
}

}  // namespace

const Command kMcp = mcp_command(run);

}  // namespace pybox::cli
