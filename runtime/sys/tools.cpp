#include "sys/tools.hpp"

#include <set>

#include "base/text.hpp"
#include "sys/fd.hpp"

namespace pybox::sys {
namespace {

constexpr Bytes kKeptOutput = 4_MiB;
constexpr int kLeashFd = 9;
constexpr int kLockFd = 8;

// The watcher's copies of stdout and stderr are closed, or the tool's pipes would never end. It is
// a grandchild, so that a tool which waits for all its children does not wait for it.
constexpr std::string_view kLeash =
    "group=$$\n"
    "( { read -r word <&9; kill -s KILL -- -$group; } >/dev/null 2>&1 & )\n"
    "exec 9<&- 8<&-\n"
    "exec \"$@\"\n";

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

  const sys::Pipe leash = PYBOX_TRY(sys::make_pipe());
  plan.fds = {{leash.read.get(), kLeashFd}};
  if (lock_fd_ >= 0) plan.fds.emplace_back(lock_fd_, kLockFd);
  sys::RunTerms terms;
  terms.patience = patience;
  terms.kept = kKeptOutput;
  terms.line = watch.line;
  terms.tick = watch.tick ? watch.tick : [this] { progress_->tick(); };
  sys::ToolResult result = PYBOX_TRY(sys::run_to_end(std::move(plan), terms));
  if (!result.timed_out) return result;
  return Error(ErrorKind::HostCannot,
               "`" + name + "` did not end within " + human_seconds(patience));
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
