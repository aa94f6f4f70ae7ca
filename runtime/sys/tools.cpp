#include "sys/tools.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>

#include "base/clock.hpp"
#include "base/text.hpp"

namespace pybox::sys {
namespace {

constexpr std::size_t kKeptOutput = 4U << 20U;
constexpr int kLeashFd = 9;
constexpr int kLockFd = 8;
constexpr int kTickMillis = 100;

// The watcher's copies of stdout and stderr are closed, or the tool's pipes would never end. It is
// a grandchild, so that a tool which waits for all its children does not wait for it.
constexpr std::string_view kLeash =
    "group=$$\n"
    "( { read -r word <&9; kill -s KILL -- -$group; } >/dev/null 2>&1 & )\n"
    "exec 9<&- 8<&-\n"
    "exec \"$@\"\n";

/// Cuts a byte stream into lines for a listener and keeps the stream, up to a limit.
class LineCutter {
 public:
  LineCutter(const ToolWatch& watch, std::string& kept) : watch_(watch), kept_(kept) {}
  void feed(std::string_view bytes) {
    kept_.append(bytes.substr(0, kKeptOutput - std::min(kKeptOutput, kept_.size())));
    if (!watch_.line) return;
    for (const char c : bytes) {
      if (c == '\n' || c == '\r') {
        flush();
      } else if (line_.size() < 4096) {
        line_.push_back(c);
      }
    }
  }
  void flush() {
    if (watch_.line && !line_.empty()) watch_.line(line_);
    line_.clear();
  }

 private:
  const ToolWatch& watch_;
  std::string& kept_;
  std::string line_;
};

/// One pipe of the running tool.
struct Stream {
  sys::Fd fd;
  LineCutter lines;

  void drain() {
    std::array<char, 65536> chunk;
    const ssize_t n = ::read(fd.get(), chunk.data(), chunk.size());
    if (n > 0) return lines.feed({chunk.data(), static_cast<std::size_t>(n)});
    if (n < 0 && errno == EINTR) return;
    lines.flush();
    fd.reset();
  }
};

/// Reads both streams to their ends, ticking; false when `deadline` came first.
bool listen(Stream& out, Stream& err, const std::function<void()>& tick, Nanos deadline) {
  while (out.fd.is_open() || err.fd.is_open()) {
    if (monotonic_now() >= deadline) return false;
    std::array<pollfd, 2> watched = {pollfd{out.fd.get(), POLLIN, 0},
                                     pollfd{err.fd.get(), POLLIN, 0}};
    ::poll(watched.data(), watched.size(), kTickMillis);
    if (watched[0].revents != 0) out.drain();
    if (watched[1].revents != 0) err.drain();
    tick();
  }
  return true;
}

std::string last_lines(std::string_view text, std::size_t count) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::size_t start = text.size();
  for (std::size_t lines = 0; lines < count && start != std::string_view::npos && start > 0;
       ++lines) {
    start = text.rfind('\n', start - 1);
  }
  if (start == std::string_view::npos) start = 0;
  if (start < text.size() && text[start] == '\n') ++start;
  return visible(text.substr(start), Lines::Keep);
}

}  // namespace

Result<sys::ToolResult> Tools::run(sys::SpawnPlan plan, Nanos patience,
                                   const ToolWatch& watch) const {
  if (!plan.program.has_parent_path()) {
    PYBOX_TRY(require_tools({plan.program.string()}));
    plan.program = *sys::find_program(plan.program.string());
  }
  const std::string name = plan.program.filename().string();
  plan.args.insert(plan.args.begin(), {"-c", std::string(kLeash), name, plan.program.string()});
  plan.program = "/bin/sh";
  plan.new_session = true;

  sys::Pipe out = PYBOX_TRY(sys::make_pipe());
  sys::Pipe err = PYBOX_TRY(sys::make_pipe());
  sys::Pipe leash = PYBOX_TRY(sys::make_pipe());
  plan.fds = {{out.write.get(), 1}, {err.write.get(), 2}, {leash.read.get(), kLeashFd}};
  if (lock_fd_ >= 0) plan.fds.emplace_back(lock_fd_, kLockFd);
  sys::Child child = PYBOX_TRY(sys::spawn(plan));
  out.write.reset();
  err.write.reset();
  leash.read.reset();

  sys::ToolResult result;
  Stream out_stream{std::move(out.read), LineCutter(watch, result.out)};
  Stream err_stream{std::move(err.read), LineCutter(watch, result.err)};
  const Nanos deadline = monotonic_now() + patience;
  std::optional<sys::WaitStatus> status;
  const std::function<void()> tick = watch.tick ? watch.tick : [this] { progress_->tick(); };
  if (listen(out_stream, err_stream, tick, deadline)) {
    status = PYBOX_TRY(child.wait(std::max(Nanos{0}, deadline - monotonic_now())));
  }
  if (!status) {
    return Error(ErrorKind::HostCannot,
                 "`" + name + "` did not end within " + human_seconds(patience));
  }
  result.status = *status;
  return result;
}

Result<sys::ToolResult> Tools::run_well(sys::SpawnPlan plan, Nanos patience,
                                        const ToolWatch& watch) const {
  const std::string name = plan.program.filename().string();
  sys::ToolResult result = PYBOX_TRY(run(std::move(plan), patience, watch));
  if (!result.ok()) return tool_failure(name, result);
  return result;
}

Error tool_failure(std::string_view tool, const sys::ToolResult& result) {
  const std::string how =
      (result.status.by_signal ? " was ended by signal " : " failed with exit code ") +
      std::to_string(result.status.code);
  const std::string_view said = result.err.empty() ? result.out : result.err;
  Error error(ErrorKind::HostCannot, "`" + std::string(tool) + "`" + how +
                                         (said.empty() ? "" : ":\n" + last_lines(said, 6)));
  if (said.find("No space left on device") != std::string_view::npos) {
    return Error(ErrorKind::HostCannot,
                 "no space left on the disk while running `" + std::string(tool) + "`")
        .hint(
            "free some space, or set PYBOX_HOME to a folder on a larger disk; then run `pybox "
            "setup` again");
  }
  return error;
}

std::string_view package_of_tool(std::string_view tool) {
  if (tool == "mkfs.erofs") return "erofs-utils";
  if (tool == "dpkg-deb") return "dpkg";
  if (tool == "apt-get") return "apt";
  if (tool == "qemu-system-x86_64") return "qemu-system-x86";
  if (tool == "qemu-system-aarch64") return "qemu-system-arm";
  return tool;
}

Result<void> require_tools(const std::vector<std::string>& names) {
  std::string missing;
  std::set<std::string_view> packages;
  for (const std::string& name : names) {
    if (sys::find_program(name)) continue;
    missing += (missing.empty() ? "`" : ", `") + name + "`";
    packages.insert(package_of_tool(name));
  }
  if (missing.empty()) return {};
  std::string command = "install with: apt-get install";
  for (const std::string_view package : packages) command += " " + std::string(package);
  return Error(ErrorKind::HostCannot,
               missing + (packages.size() > 1 ? " are" : " is") + " not installed")
      .hint(std::move(command));
}

}  // namespace pybox::sys
