#include "vm/start.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>

#include "base/crashpoint.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"
#include "sys/runner.hpp"
#include "vm/client.hpp"
#include "vm/lock.hpp"

namespace pybox::vm {
namespace {

constexpr Bytes kLogLimit = 1_MiB;
/// A supervisor that holds the life lock but serves no socket is ending: it gives QEMU 2 s, and on
/// a busy host needs a while to notice that nobody waits for it any more.
constexpr Nanos kEndPatience = std::chrono::seconds(20);

std::vector<std::string> supervisor_environment() {
  std::vector<std::string> environment;
  for (const char* name : {"HOME", "PATH", "PYBOX_HOME", "PYBOX_VM_ACCELERATOR", "XDG_CONFIG_HOME",
                           "XDG_DATA_HOME", "XDG_RUNTIME_DIR"}) {
    if (const char* value = std::getenv(name))
      environment.push_back(std::string(name) + "=" + value);
  }
#ifdef PYBOX_CRASHPOINTS
  if (const char* point = std::getenv("PYBOX_CRASHPOINT"))
    environment.push_back(std::string("PYBOX_CRASHPOINT=") + point);
#endif
  return environment;
}

/// Appended to, never longer than the limit when a start begins.
Result<sys::Fd> open_log(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::file_size(path, error) > kLogLimit.count && !error) {
    std::filesystem::rename(path, path.string() + ".old", error);
  }
  return sys::open_path(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
}

/// The program's own path, so that the supervisor is called pybox in the process list; the magic
/// link when that path now leads to another file (an update under our feet).
std::filesystem::path own_program() {
  const std::filesystem::path link = "/proc/self/exe";
  std::error_code error;
  std::filesystem::path path = std::filesystem::read_symlink(link, error);
  return !error && std::filesystem::equivalent(path, link, error) ? path : link;
}

Result<sys::Fd> spawn_supervisor(const sys::StateDirs& dirs) {
  PYBOX_TRY(sys::ensure_private_dir(dirs.vm()));
  const sys::Fd log = PYBOX_TRY(open_log(supervisor_log_path(dirs)));
  sys::Pipe pipe = PYBOX_TRY(sys::make_pipe());
  sys::SpawnPlan plan;
  plan.program = own_program();
  plan.args = {std::string(kSuperviseCommand)};
  plan.environment = supervisor_environment();
  plan.fds = {{log.get(), STDERR_FILENO}, {pipe.write.get(), kStartPipe}};
  plan.new_session = true;
  sys::Child child = PYBOX_TRY(sys::spawn(plan));
  // It outlives us; whether it lives is read from the pipe and the life lock.
  child.disown();
  return std::move(pipe.read);
}

Error lost(const char* how) {
  return Error(ErrorKind::HostCannot, how).hint("`pybox vm logs` shows why");
}

void tell(const std::string& line) {
  // With nobody listening this fails, which aborted() notices by itself.
  (void)sys::write_all(kStartPipe, line + "\n").has_value();
}

bool nobody_listens() {
  pollfd pipe{kStartPipe, 0, 0};
  return ::poll(&pipe, 1, 0) > 0 && (pipe.revents & (POLLERR | POLLNVAL)) != 0;
}

}  // namespace

SupervisorWords::SupervisorWords(sys::Fd pipe, const StartWatcher& watcher, int cancel_fd)
    : pipe_(std::move(pipe)), watcher_(watcher), cancel_fd_(cancel_fd) {}

Result<bool> SupervisorWords::take(std::string_view line) {
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, space);
  const std::string_view rest = line.substr(std::min(space + 1, line.size()));
  if (word == "ready") return true;
  if (word == "failed") return failure_from(rest);
  if (word == "stage") watcher_.stage(rest);
  if (word == "notice") watcher_.notice(rest);
  return false;
}

Result<bool> SupervisorWords::read_more(int timeout) {
  std::array<pollfd, 2> watched = {pollfd{pipe_.get(), POLLIN, 0}, pollfd{cancel_fd_, POLLIN, 0}};
  const int ready = ::poll(watched.data(), watched.size(), timeout);
  if (ready < 0 && errno == EINTR) return true;
  if (watched[1].revents != 0) return Error(ErrorKind::Interrupted, "the start was interrupted");
  if (ready <= 0) return false;
  std::array<char, 4096> chunk;
  const ssize_t n = ::read(pipe_.get(), chunk.data(), chunk.size());
  if (n > 0) lines_.feed({chunk.data(), static_cast<std::size_t>(n)});
  return n > 0 || (n < 0 && errno == EINTR);
}

Result<void> SupervisorWords::until_ready(const Error& ended) {
  constexpr int kForever = -1;
  do {
    while (const auto line = lines_.next()) {
      if (PYBOX_TRY(take(*line))) return {};
    }
  } while (PYBOX_TRY(read_more(kForever)));
  return ended;
}

void SupervisorWords::pass_on() {
  for (;;) {
    while (const auto line = lines_.next()) (void)take(*line).has_value();
    const Result<bool> more = read_more(0);
    if (!more || !*more) return;
  }
}

Result<Started> start(const sys::StateDirs& dirs, const StartWatcher& watcher) {
  const sys::Fd turn = PYBOX_TRY(
      take_start_lock(dirs, [&] { watcher.stage("waiting for another start of the VM"); }));
  const Status before = PYBOX_TRY(status_of(dirs));
  if (before.running) return Started{true, before};
  if (PYBOX_TRY(life_lock_owner(dirs))) watcher.stage("waiting for an earlier VM to end");
  if (!PYBOX_TRY(wait_for_release(dirs, kEndPatience))) {
    return Error(ErrorKind::HostCannot, "another supervisor holds the VM and does not answer")
        .hint("end it with `pybox vm stop`");
  }
  SupervisorWords words(PYBOX_TRY(spawn_supervisor(dirs)), watcher);
  PYBOX_TRY(words.until_ready(lost("the VM's supervisor ended before the VM was ready")));
  Status after = PYBOX_TRY(status_of(dirs));
  if (!after.running) PYBOX_TRY(words.until_ready(lost("the VM ended right after it had started")));
  words.pass_on();
  return Started{false, std::move(after)};
}

bool has_starter() {
  struct stat status {};
  return ::fstat(kStartPipe, &status) == 0 && S_ISFIFO(status.st_mode);
}

StartReport report_to_starter() {
  // QEMU must not inherit it: the starter would wait for as long as the VM lives.
  ::fcntl(kStartPipe, F_SETFD, FD_CLOEXEC);
  StartReport report;
  report.watcher.stage = [](std::string_view text) { tell("stage " + visible(text)); };
  report.watcher.notice = [](std::string_view text) { tell("notice " + visible(text)); };
  report.watcher.aborted = nobody_listens;
  report.ready = [] { tell("ready"); };
  report.settled = [](const std::optional<Error>& lost) {
    if (lost) report_failure(*lost);
    ::close(kStartPipe);
  };
  return report;
}

void report_failure(const Error& error) { tell("failed " + failure_line(error)); }

std::string failure_line(const Error& error) {
  return std::string(name_of(error.kind())) + "\t" + visible(error.message()) + "\t" +
         visible(error.hint());
}

Error failure_from(std::string_view line) {
  const std::size_t first = std::min(line.find('\t'), line.size());
  const std::size_t second = std::min(line.find('\t', first + 1), line.size());
  ErrorKind kind = ErrorKind::HostCannot;
  for (const ErrorKind each :
       {ErrorKind::Usage, ErrorKind::Refused, ErrorKind::NotRunning, ErrorKind::Io,
        ErrorKind::Protocol, ErrorKind::Evidence, ErrorKind::Interrupted, ErrorKind::Internal}) {
    if (line.substr(0, first) == name_of(each)) kind = each;
  }
  const auto part = [&](std::size_t from, std::size_t to) {
    return from >= to ? std::string() : std::string(line.substr(from, to - from));
  };
  Error error(kind, part(first + 1, second));
  if (second < line.size()) return std::move(error).hint(part(second + 1, line.size()));
  return error;
}

}  // namespace pybox::vm
