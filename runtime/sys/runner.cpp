#include "sys/runner.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <set>
#include <system_error>

// Otherwise Boost.Filesystem would have to be linked.
#define BOOST_PROCESS_USE_STD_FS
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/readable_pipe.hpp>
// Boost 1.81 uses these without including them.
#include <boost/optional.hpp>
#include <boost/type_traits/decay.hpp>
#include <boost/type_traits/is_convertible.hpp>

#include <boost/process/v2/posix/vfork_launcher.hpp>
#include <boost/process/v2/process.hpp>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "sys/syscalls.hpp"

namespace pybox::sys {
namespace {

namespace asio = boost::asio;
namespace process = boost::process::v2;
using boost::system::error_code;

constexpr Nanos kTick = Millis(100);
constexpr Nanos kStopPatience = std::chrono::seconds(15);
constexpr std::size_t kLineKept = 4096;
/// Reads after the end: a full pipe has 16 of its own size, and others may write for ever.
constexpr int kLastReads = 64;

/// Nothing may interrupt a child that shares our memory.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

std::vector<const char*> pointers(const std::vector<std::string>& words) {
  std::vector<const char*> out;
  out.reserve(words.size() + 1);
  for (const std::string& word : words) out.push_back(word.c_str());
  out.push_back(nullptr);
  return out;
}

/// What the launcher calls. In the child: async-signal-safe calls only, and no memory taken.
class Setup {
 public:
  static Result<Setup> of(const SpawnPlan& plan);

  error_code on_setup(process::posix::default_launcher& launcher, const std::filesystem::path&,
                      const char* const*&) const {
    launcher.env = environment_.data();
    launcher.fd_whitelist.assign(kept_.begin(), kept_.end());
    return {};
  }

  error_code on_exec_setup(process::posix::default_launcher&, const std::filesystem::path&,
                           const char* const*&) const {
    if (enter()) return {};
    return {errno, boost::system::system_category()};
  }

  /// Before the launcher calls exit, which would run our own handlers in our own memory.
  template <typename... Any>
  void on_exec_error(Any&&...) const {
    ::_exit(127);
  }

  /// In the parent: a child that could not execute is not reaped by the launcher.
  template <typename... Any>
  void on_error(process::posix::default_launcher& launcher, Any&&...) const {
    if (launcher.pid > 0) ::waitpid(launcher.pid, nullptr, 0);
  }

 private:
  explicit Setup(const SpawnPlan& plan) : plan_(plan), environment_(pointers(plan.environment)) {}

  Result<void> pass(int ours, int theirs, int floor) {
    moves_.emplace_back(Fd(::fcntl(ours, F_DUPFD_CLOEXEC, floor)), theirs);
    if (!moves_.back().first.is_open()) return Error::from_errno(errno, "passing a descriptor");
    return {};
  }

  bool enter() const {
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    // Two cannot be set, and two are the C library's own.
    for (int number = 1; number < NSIG; ++number) ::sigaction(number, &usual, nullptr);
    if (plan_.new_session && ::setsid() < 0) return false;
    for (const auto& [ours, theirs] : moves_) {
      if (::dup2(ours.get(), theirs) < 0) return false;
    }
    // The launcher closes what is above the last, unchecked, and leaves what is between them.
    unsigned next = 0;
    for (const int fd : kept_) {
      const auto kept = static_cast<unsigned>(fd);
      if (kept > next && ::close_range(next, kept - 1, 0) != 0) return false;
      next = kept + 1;
    }
    if (::close_range(next, ~0U, 0) != 0) return false;
    if (!plan_.folder.empty() && ::chdir(plan_.folder.c_str()) != 0) return false;
    sigset_t none;
    ::sigemptyset(&none);
    return ::sigprocmask(SIG_SETMASK, &none, nullptr) == 0;
  }

  const SpawnPlan& plan_;
  std::vector<const char*> environment_;
  std::vector<std::pair<Fd, int>> moves_;
  std::set<int> kept_ = {0, 1, 2};
};

/// Ours are first lifted above all of theirs, so that no move overwrites the source of a later one.
Result<Setup> Setup::of(const SpawnPlan& plan) {
  Setup setup(plan);
  for (const auto& [ours, theirs] : plan.fds) setup.kept_.insert(theirs);
  const int floor = *setup.kept_.rbegin() + 1;
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  // Named ones come after these, and take their places.
  for (int fd = 0; fd <= 2; ++fd) PYBOX_TRY(setup.pass(null.get(), fd, floor));
  for (const auto& [ours, theirs] : plan.fds) PYBOX_TRY(setup.pass(ours, theirs, floor));
  return setup;
}

/// The pid of the started program, not yet reaped.
Result<pid_t> launch(const std::filesystem::path& program, const SpawnPlan& plan) {
  const Setup setup = PYBOX_TRY(Setup::of(plan));
  std::vector<std::string> words = {plan.program.string()};
  words.insert(words.end(), plan.args.begin(), plan.args.end());
  std::vector<const char*> argv = pointers(words);
  process::posix::vfork_launcher launcher;
  const std::string what = "starting " + program.string();
  try {
    // A context of its own: asio rebuilds one that is in use in the child, where it is still ours.
    asio::io_context context;
    error_code trouble;
    const SignalsHeld held;
    auto started = launcher(context.get_executor(), trouble, program, argv.data(), setup);
    if (trouble) return Error::from_errno(trouble.value(), what);
    // Waiting is ours (process.hpp): the library would reap by pid, and before the group is killed.
    started.detach();
    return launcher.pid;
  } catch (const std::exception& fault) {
    if (launcher.pid > 0) {
      ::kill(launcher.pid, SIGKILL);
      ::waitpid(launcher.pid, nullptr, 0);
    }
    return Error(ErrorKind::HostCannot, what + ": " + fault.what());
  }
}

/// One pipe of the running program: keeps what comes, up to a limit, and cuts it into lines.
class Stream {
 public:
  Stream(asio::io_context& context, Fd fd, const RunTerms& terms, std::string& kept)
      : pipe_(context, fd.get()), terms_(terms), kept_(kept) {
    (void)fd.release();
    read();
  }

 private:
  void read() {
    pipe_.async_read_some(asio::buffer(chunk_), [this](error_code trouble, std::size_t size) {
      take({chunk_.data(), size});
      if (trouble) return end_line();
      read();
    });
  }

  void take(std::string_view bytes) {
    kept_.append(bytes.substr(0, terms_.kept.count - std::min(terms_.kept.count, kept_.size())));
    if (!terms_.line) return;
    for (const char c : bytes) {
      if (c == '\n' || c == '\r') {
        end_line();
      } else if (line_.size() < kLineKept) {
        line_.push_back(c);
      }
    }
  }

  void end_line() {
    if (terms_.line && !line_.empty()) terms_.line(line_);
    line_.clear();
  }

  asio::readable_pipe pipe_;
  const RunTerms& terms_;
  std::string& kept_;
  std::string line_;
  std::array<char, 65536> chunk_;
};

/// Notes when a descriptor that stays its owner's becomes readable.
class Watched {
 public:
  Watched(asio::io_context& context, int fd) : descriptor_(context) {
    if (fd < 0) return;
    descriptor_.assign(fd);
    descriptor_.async_wait(asio::posix::stream_descriptor::wait_read,
                           [this](error_code trouble) { readable_ = !trouble; });
  }
  ~Watched() {
    if (descriptor_.is_open()) descriptor_.release();
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  bool readable() const { return readable_; }

 private:
  asio::posix::stream_descriptor descriptor_;
  bool readable_ = false;
};

/// Passes on what comes until the program has ended, telling it to stop when it must.
Result<void> see_to_end(asio::io_context& context, const Child& child, const RunTerms& terms,
                        Nanos deadline, ToolResult& result) {
  const Watched ended(context, child.pidfd());
  const Watched cancelled(context, terms.cancel_fd);
  std::vector<int> signals = {SIGKILL, terms.stop_signal};
  while (!ended.readable()) {
    const bool told = result.timed_out || result.cancelled;
    const Nanos left = deadline - monotonic_now();
    if (left <= Nanos{0} || (cancelled.readable() && !told)) {
      if (signals.empty()) return Error(ErrorKind::HostCannot, "a killed program did not end");
      if (!told) (cancelled.readable() ? result.cancelled : result.timed_out) = true;
      PYBOX_TRY(child.signal(signals.back()));
      signals.pop_back();
      deadline = monotonic_now() + kStopPatience;
      continue;
    }
    context.run_one_for(terms.tick ? std::min(left, kTick) : left);
    if (terms.tick) terms.tick();
  }
  return {};
}

}  // namespace

Result<Child> spawn(const SpawnPlan& plan) {
  reap_let_go();
  std::filesystem::path program = plan.program;
  if (!program.has_parent_path()) {
    const auto found = find_program(program.string());
    if (!found) return Error(ErrorKind::HostCannot, "`" + program.string() + "` is not installed");
    program = *found;
  }
  const pid_t pid = PYBOX_TRY(launch(program, plan));
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

std::optional<std::filesystem::path> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string folders = path != nullptr ? path : "";
  folders += ":/usr/sbin:/sbin:/usr/bin:/bin";
  std::size_t start = 0;
  while (start <= folders.size()) {
    const std::size_t end = std::min(folders.find(':', start), folders.size());
    const std::filesystem::path candidate =
        std::filesystem::path(folders.substr(start, end - start)) / name;
    std::error_code absent;
    if (candidate.is_absolute() && ::access(candidate.c_str(), X_OK) == 0 &&
        std::filesystem::is_regular_file(candidate, absent)) {
      return candidate;
    }
    start = end + 1;
  }
  return std::nullopt;
}

Result<ToolResult> run_to_end(const StartProgram& start, const RunTerms& terms) {
  Pipe out = PYBOX_TRY(make_pipe());
  Pipe err = PYBOX_TRY(make_pipe());
  ToolResult result;
  try {
    asio::io_context context;
    const Nanos began = monotonic_now();
    Child child = PYBOX_TRY(start(out.write.get(), err.write.get()));
    out.write.reset();
    err.write.reset();
    const Stream out_stream(context, std::move(out.read), terms, result.out);
    const Stream err_stream(context, std::move(err.read), terms, result.err);
    PYBOX_TRY(see_to_end(context, child, terms, began + terms.patience, result));
    if (::getpgid(child.pid()) == child.pid()) ::kill(-child.pid(), SIGKILL);
    const auto status = PYBOX_TRY(child.wait(Nanos{0}));
    result.took = monotonic_now() - began;
    if (!status) return Error(ErrorKind::Internal, "an ended process could not be reaped");
    result.status = *status;
    for (int i = 0; i < kLastReads && context.poll_one() > 0; ++i) {
    }
  } catch (const std::exception& fault) {
    return Error(ErrorKind::HostCannot, std::string("running a program: ") + fault.what());
  }
  return result;
}

Result<ToolResult> run_to_end(SpawnPlan plan, const RunTerms& terms) {
  const auto start = [&](int out, int err) {
    // What the plan names itself comes later, and takes their places.
    plan.fds.insert(plan.fds.begin(), {{out, 1}, {err, 2}});
    return spawn(plan);
  };
  return run_to_end(start, terms);
}

Result<ToolResult> run_tool(SpawnPlan plan, const RunTerms& terms) {
  const std::string name = plan.program.filename().string();
  ToolResult result = PYBOX_TRY(run_to_end(std::move(plan), terms));
  if (!result.timed_out) return result;
  return Error(ErrorKind::HostCannot,
               "`" + name + "` did not end within " + human_seconds(terms.patience));
}

}  // namespace pybox::sys
