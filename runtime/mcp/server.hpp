#pragma once
/// Theory of operation: one process, one client. The loop's thread waits for stdin, stdout, signals
/// and workers at once and never blocks in anything else; each run has a worker thread
/// (mcp/worker.hpp), whose engine starts boxd or talks to the VM's supervisor. Nothing of an engine
/// is touched before the first tools/call. When the client goes (end of input, a reader that is
/// gone, SIGTERM) running boxes are cancelled and the process ends within 2 s; were it killed, boxd
/// would see its link end and kill the box at once (Request::WhenOrphaned::Kill).

#include "base/result.hpp"
#include "mcp/operator.hpp"
#include "sys/fd.hpp"

namespace pybox::mcp {

/// Private copies of stdin and stdout, taken by take_stdio().
struct Stdio {
  sys::Fd in;
  sys::Fd out;
};

/// From here on descriptor 0 is /dev/null and 1 is stderr: nothing but the server can read from or
/// write to the client.
Result<Stdio> take_stdio();

/// Why a session ended; picks the exit code.
enum class Ending {
  EndOfInput,
  ReaderGone,
  Signal,
  Interrupt,  ///< SIGINT
  TooManyMessages,
  Stalled,  ///< the client did not read for 5 s
};

/// Serves until the session ends. `signal_fd` is a signalfd. An Error is a trouble of this host's.
/// Does not return when a run could not be ended in time: then it ends the process itself, with
/// what `code_for` says.
Result<Ending> serve(const Operator& allowed, Stdio stdio, int signal_fd, int (*code_for)(Ending));

}  // namespace pybox::mcp
