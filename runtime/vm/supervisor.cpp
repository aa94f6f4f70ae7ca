#include "vm/supervisor.hpp"

#include <poll.h>
#include <unistd.h>

#include "base/crashpoint.hpp"
#include "sys/file.hpp"
#include "vm/client.hpp"
#include "vm/end_signals.hpp"
#include "vm/lock.hpp"
#include "vm/serving.hpp"
#include "vm/socket.hpp"

namespace pybox::vm {

Result<void> supervise(const Config& config, const StartReport& report) {
  PYBOX_CRASHPOINT_ROLE("supervisor");
  PYBOX_TRY(sys::ensure_private_dir(config.dirs.run));
  const std::optional<sys::Fd> life = PYBOX_TRY(take_life_lock(config.dirs));
  if (!life) return Error(ErrorKind::HostCannot, "another VM is already running");
  remove_leftovers(config.dirs);
  sys::Fd signals = PYBOX_TRY(take_end_signals());
  ConsoleLog console = PYBOX_TRY(ConsoleLog::open(console_path(config.dirs)));
  StartWatcher watcher = report.watcher;
  watcher.aborted = [&report, &signals] {
    pollfd asked{signals.get(), POLLIN, 0};
    return report.watcher.aborted() || ::poll(&asked, 1, 0) > 0;
  };
  PYBOX_CRASHPOINT("life-locked");
  Launched launched = PYBOX_TRY(launch(config, console, watcher));
  PYBOX_CRASHPOINT("guest-answered");
  sys::Fd listener = PYBOX_TRY(listen_socket(socket_path(config.dirs)));
  PYBOX_CRASHPOINT("listening");
  const auto relaunch = [&config, &console](const StartWatcher& meanwhile) {
    return launch(config, console, meanwhile);
  };
  Serving serving(config, report, relaunch, std::move(launched), std::move(listener),
                  std::move(signals));
  const std::string pid = std::to_string(::getpid()) + "\n";
  PYBOX_TRY(sys::replace_file(pid_path(config.dirs), pid));
  PYBOX_CRASHPOINT("pid-written");
  report.ready();
  serving.loop();
  return {};
}

}  // namespace pybox::vm
