#include "sys/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <set>

#include "base/clock.hpp"
#include "sys/syscalls.hpp"

namespace pybox::sys {
namespace {

constexpr std::size_t kToolOutputLimit = 16U << 20U;

/// posix_spawn's C objects, freed on every path.
struct SpawnSettings {
  posix_spawnattr_t attributes{};
  posix_spawn_file_actions_t actions{};
  SpawnSettings() {
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
  }
  ~SpawnSettings() {
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
};

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

void reset_signals(SpawnSettings& settings, bool new_session) {
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&settings.attributes, &none);
  posix_spawnattr_setsigdefault(&settings.attributes, &all);
  int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (new_session) flags |= POSIX_SPAWN_SETSID;
  posix_spawnattr_setflags(&settings.attributes, static_cast<short>(flags));
}

/// Moves `ours` onto `theirs` for each pair. Our numbers are first lifted above all of theirs, so
/// that no pair overwrites the source of a later one. The lifted copies close themselves.
Result<std::vector<Fd>> map_descriptors(SpawnSettings& settings, const SpawnPlan& plan) {
  std::vector<Fd> lifted;
  std::set<int> taken;
  int floor = 10;
  for (const auto& [ours, theirs] : plan.fds) floor = std::max(floor, theirs + 1);
  for (const auto& [ours, theirs] : plan.fds) {
    Fd copy(::fcntl(ours, F_DUPFD_CLOEXEC, floor));
    if (!copy.is_open()) return Error::from_errno(errno, "passing a descriptor");
    posix_spawn_file_actions_adddup2(&settings.actions, copy.get(), theirs);
    taken.insert(theirs);
    lifted.push_back(std::move(copy));
  }
  for (int fd = 0; fd <= 2; ++fd) {
    if (taken.contains(fd)) continue;
    posix_spawn_file_actions_addopen(&settings.actions, fd, "/dev/null",
                                     fd == 0 ? O_RDONLY : O_WRONLY, 0);
    taken.insert(fd);
  }
  // Our own descriptors are close-on-exec, but those we inherited from a careless caller need not
  // be.
  for (int fd = 3; fd < *taken.rbegin(); ++fd) {
    if (!taken.contains(fd)) posix_spawn_file_actions_addclose(&settings.actions, fd);
  }
  posix_spawn_file_actions_addclosefrom_np(&settings.actions, *taken.rbegin() + 1);
  return lifted;
}

}  // namespace

Child::~Child() {
  if (pid_ <= 0) return;
  (void)signal(SIGKILL);
  siginfo_t info{};
  while (::waitid(P_PIDFD, static_cast<id_t>(pidfd_.get()), &info, WEXITED) != 0 &&
         errno == EINTR) {
  }
}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(pidfd_, other.pidfd_);
  return *this;
}

Result<void> Child::signal(int number) const {
  if (pid_ <= 0) return {};
  if (pidfd_send_signal(pidfd_.get(), number) != 0 && errno != ESRCH) {
    return Error::from_errno(errno, "signalling a child process");
  }
  return {};
}

Result<std::optional<WaitStatus>> Child::wait(Nanos patience) {
  const Nanos deadline = monotonic_now() + patience;
  pollfd ended{pidfd_.get(), POLLIN, 0};
  for (;;) {
    const timespec timeout = to_timespec(deadline - monotonic_now());
    const int ready = ::ppoll(&ended, 1, &timeout, nullptr);
    if (ready == 0) return std::optional<WaitStatus>{};
    if (ready > 0) break;
    if (errno != EINTR) return Error::from_errno(errno, "waiting for a child process");
  }
  siginfo_t info{};
  while (::waitid(P_PIDFD, static_cast<id_t>(pidfd_.get()), &info, WEXITED) != 0) {
    if (errno != EINTR) return Error::from_errno(errno, "reaping a child process");
  }
  pid_ = -1;
  pidfd_.reset();
  return std::optional(WaitStatus{info.si_code != CLD_EXITED, info.si_status});
}

void Child::disown() {
  pid_ = -1;
  pidfd_.reset();
}

Result<Child> spawn(const SpawnPlan& plan) {
  SpawnSettings settings;
  reset_signals(settings, plan.new_session);
  const std::vector<Fd> lifted = PYBOX_TRY(map_descriptors(settings, plan));
  if (!plan.folder.empty())
    posix_spawn_file_actions_addchdir_np(&settings.actions, plan.folder.c_str());
  std::vector<std::string> words = {plan.program.string()};
  words.insert(words.end(), plan.args.begin(), plan.args.end());
  std::vector<char*> argv = pointers(words);
  std::vector<char*> environment = pointers(plan.environment);
  std::filesystem::path program = plan.program;
  if (!program.has_parent_path()) {
    const auto found = find_program(program.string());
    if (!found) return Error(ErrorKind::HostCannot, "`" + program.string() + "` is not installed");
    program = *found;
  }
  pid_t pid = -1;
  const int failed = ::posix_spawn(&pid, program.c_str(), &settings.actions, &settings.attributes,
                                   argv.data(), environment.data());
  if (failed != 0) return Error::from_errno(failed, "starting " + program.string());
  // The child is ours and not yet reaped, so its pid cannot have been reused.
  Fd pidfd(pidfd_open(pid));
  if (!pidfd.is_open()) {
    const int code = errno;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return Error::from_errno(code, "opening a pidfd");
  }
  return Child(pid, std::move(pidfd));
}

std::vector<std::string> tool_environment() {
  std::vector<std::string> environment = {"LANG=C.UTF-8"};
  for (const char* name : {"PATH", "HOME", "TMPDIR", "http_proxy", "https_proxy", "no_proxy"}) {
    if (const char* value = std::getenv(name))
      environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

Result<ToolResult> run_tool(SpawnPlan plan, Nanos patience) {
  Pipe out = PYBOX_TRY(make_pipe());
  Pipe err = PYBOX_TRY(make_pipe());
  const auto given = [&](int fd) {
    return std::any_of(plan.fds.begin(), plan.fds.end(),
                       [&](const auto& pair) { return pair.second == fd; });
  };
  if (!given(1)) plan.fds.emplace_back(out.write.get(), 1);
  if (!given(2)) plan.fds.emplace_back(err.write.get(), 2);
  Child child = PYBOX_TRY(spawn(plan));
  out.write.reset();
  err.write.reset();

  ToolResult result;
  const Nanos deadline = monotonic_now() + patience;
  std::array<char, 65536> chunk;
  const auto drain = [&](Fd& from, std::string& into) {
    const ssize_t n = ::read(from.get(), chunk.data(), chunk.size());
    if (n == 0 || (n < 0 && errno != EINTR)) return from.reset();
    if (n > 0 && into.size() < kToolOutputLimit)
      into.append(chunk.data(), static_cast<std::size_t>(n));
  };
  while (out.read.is_open() || err.read.is_open()) {
    std::array<pollfd, 2> watched = {pollfd{out.read.get(), POLLIN, 0},
                                     pollfd{err.read.get(), POLLIN, 0}};
    const Nanos left = deadline - monotonic_now();
    const int ready = left <= Nanos{0} ? 0
                                       : ::poll(watched.data(), watched.size(),
                                                static_cast<int>(left.count() / 1'000'000) + 1);
    if (ready == 0) {
      return Error(ErrorKind::HostCannot, "`" + plan.program.string() + "` did not end within " +
                                              std::to_string(patience.count() / 1'000'000'000) +
                                              " s");
    }
    if (watched[0].revents != 0) drain(out.read, result.out);
    if (watched[1].revents != 0) drain(err.read, result.err);
  }
  const std::optional<WaitStatus> status =
      PYBOX_TRY(child.wait(std::max(Nanos{0}, deadline - monotonic_now())));
  if (!status)
    return Error(ErrorKind::HostCannot,
                 "`" + plan.program.string() + "` closed its output but did not end");
  result.status = *status;
  return result;
}

std::optional<std::filesystem::path> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string folders = path != nullptr ? path : "";
  folders += ":/usr/sbin:/sbin:/usr/bin:/bin";
  std::size_t start = 0;
  while (start <= folders.size()) {
    const std::size_t end = std::min(folders.find(':', start), folders.size());
    const std::filesystem::path candidate =
        std::filesystem::path(folders.substr(start, end - start)) / name;
    if (candidate.is_absolute() && ::access(candidate.c_str(), X_OK) == 0 &&
        std::filesystem::is_regular_file(candidate)) {
      return candidate;
    }
    start = end + 1;
  }
  return std::nullopt;
}

}  // namespace pybox::sys
