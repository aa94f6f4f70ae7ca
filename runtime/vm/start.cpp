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

constexpr std::size_t kMaxLine = 65536;
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

/// What the supervisor says, line by line.
class Lines {
 public:
  Lines(sys::Fd pipe, const StartWatcher& watcher) : pipe_(std::move(pipe)), watcher_(watcher) {}

  /// Passes stages and notices on until the supervisor is ready. Error: the one it failed with, or
  /// `ended` when it closed the pipe without one.
  Result<void> until_ready(const char* ended);
  /// Passes on what has been said since, without waiting.
  void pass_on();

 private:
  /// True: ready. False: nothing decisive.
  Result<bool> take(std::string_view line);
  /// nullopt: the supervisor closed the pipe.
  std::optional<std::string> next();

  sys::Fd pipe_;
  const StartWatcher& watcher_;
  std::string buffer_;
};

Result<bool> Lines::take(std::string_view line) {
  const std::size_t space = line.find(' ');
  const std::string_view word = line.substr(0, space);
  const std::string_view rest = space == std::string_view::npos ? "" : line.substr(space + 1);
  if (word == "ready") return true;
  if (word == "failed") return failure_from(rest);
  if (word == "stage") watcher_.stage(rest);
  if (word == "notice") watcher_.notice(rest);
  return false;
}

std::optional<std::string> Lines::next() {
  std::array<char, 4096> chunk;
  for (;;) {
    if (const std::size_t end = buffer_.find('\n'); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    const ssize_t n = ::read(pipe_.get(), chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0 || buffer_.size() > kMaxLine) return std::nullopt;
    buffer_.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

Result<void> Lines::until_ready(const char* ended) {
  while (const auto line = next()) {
    if (PYBOX_TRY(take(*line))) return {};
  }
  return Error(ErrorKind::HostCannot, ended).hint("`pybox vm logs` shows why");
}

void Lines::pass_on() {
  const auto waits = [this] {
    pollfd ready{pipe_.get(), POLLIN, 0};
    return !buffer_.empty() || (::poll(&ready, 1, 0) > 0 && (ready.revents & POLLIN) != 0);
  };
  while (waits()) {
    const auto line = next();
    if (!line) return;
    (void)take(*line).has_value();
  }
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

Result<Started> start(const sys::StateDirs& dirs, const StartWatcher& watcher) {
  const sys::Fd turn = PYBOX_TRY(take_start_lock(dirs));
  const Status before = PYBOX_TRY(status_of(dirs));
  if (before.running) return Started{true, before};
  if (!PYBOX_TRY(wait_for_release(dirs, kEndPatience))) {
    return Error(ErrorKind::HostCannot, "another supervisor holds the VM and does not answer")
        .hint("end it with `pybox vm stop`");
  }
  Lines lines(PYBOX_TRY(spawn_supervisor(dirs)), watcher);
  PYBOX_TRY(lines.until_ready("the VM's supervisor ended before the VM was ready"));
  Status after = PYBOX_TRY(status_of(dirs));
  if (!after.running) {
    PYBOX_TRY(lines.until_ready("the VM ended right after it had started"));
  }
  lines.pass_on();
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
