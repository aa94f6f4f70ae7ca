#pragma once
/// An engine takes a run order and gives back what happened. It never falls back to a weaker one.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "link/order.hpp"
#include "receipt/report.hpp"

namespace pybox::engine {

/// What an engine needs from its caller while a run is in progress. All calls come from run()'s own
/// thread.
struct Console {
  /// Output of the program, as it comes. `stream` is 1 or 2. Never called when nobody asked to
  /// stream.
  std::function<void(int stream, std::string_view bytes)> output;
  /// Descriptor to read the program's stdin from; -1: stdin is empty.
  int stdin_fd = -1;
  /// Becomes readable when the run is to be cancelled (Ctrl-C, MCP cancel); -1: never.
  int cancel_fd = -1;
};

struct HostFacts {
  std::optional<std::string> accelerator;  ///< "kvm", "tcg"; vm engine only
  std::optional<std::string> vm;           ///< "shared" or "own"
};

struct RunAnswer {
  HostFacts host;
  /// With Request::return_files, report.files holds what came back from /tmp/output, contents
  /// included, checked (files/arrival.hpp): plain names, 64 files and 8 MiB at most. The program's
  /// own work: untrusted. Status None when nobody asked, NotReceived when the box could not be
  /// collected, Refused when names would meet.
  RunReport report;
};

class Engine {
 public:
  virtual ~Engine() = default;
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Starts what a run needs and the order does not change, so that it gets ready while the caller
  /// still looks the image up. What goes wrong is told by run(). Calling it is never necessary.
  virtual void get_ready() {}

  /// Runs one program. An Error means no box was made (kind NotRunning, HostCannot or Refused); a
  /// box that was lost is an answer with Observation::BoxLost. Blocks until the run's end, guarded
  /// by the host's own clock at limit + 2 s.
  virtual Result<RunAnswer> run(const link::RunOrder& order, const Console& console) = 0;
};

/// The native engine: starts `boxd` as a child for each run. Its boxes' root is the order's
/// `rootfs`, the tree of an image that the caller has found and checked.
std::unique_ptr<Engine> make_native_engine();
/// The vm engine: talks to the running VM's supervisor.
std::unique_ptr<Engine> make_vm_engine();

}  // namespace pybox::engine
