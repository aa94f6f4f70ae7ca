#include "campaign/run/driver_home.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <system_error>

#include "base/digest.hpp"
#include "campaign/run/driver.hpp"
#include "sys/file.hpp"
#include "sys/runner.hpp"

namespace pybox::campaign {
namespace {

namespace fs = std::filesystem;

constexpr Nanos kCopyPatience = std::chrono::seconds(120);
/// A VM that boots under TCG on two busy cores.
constexpr Nanos kStartPatience = std::chrono::seconds(300);
constexpr Nanos kStopPatience = std::chrono::seconds(60);

/// What a home needs of another; what is not there is left out.
constexpr const char* kShared[] = {"images", "vm/kernel"};

Result<void> link_tree(const fs::path& from, const fs::path& to) {
  std::error_code absent;
  if (!fs::exists(from, absent)) return {};
  PYBOX_TRY(sys::ensure_private_dir(to.parent_path()));
  sys::SpawnPlan plan;
  plan.program = "cp";
  plan.args = {"-al", from.string(), to.string()};
  plan.environment = sys::tool_environment();
  const sys::ToolResult copied = PYBOX_TRY(sys::run_tool(plan, kCopyPatience));
  if (copied.ok()) return {};
  return Error(ErrorKind::Io, "linking " + from.string() + ": " + copied.err);
}

/// Locks a folder; not open when somebody holds it.
sys::Fd try_lock(const fs::path& folder) {
  auto fd = sys::open_path(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!fd || ::flock(fd.value().get(), LOCK_EX | LOCK_NB) != 0) return {};
  return std::move(fd).value();
}

void remove_dead(const fs::path& base) {
  std::error_code ignored;
  for (fs::directory_iterator at(base, ignored), end; at != end; at.increment(ignored)) {
    const sys::Fd lock = try_lock(at->path());
    if (lock.is_open()) (void)sys::remove_tree(at->path()).has_value();
  }
}

}  // namespace

Result<DriverHome> DriverHome::make(const sys::StateDirs& dirs, const fs::path& programs,
                                    const CheckSources& sources) {
  const fs::path base = dirs.home / "campaign";
  PYBOX_TRY(sys::ensure_private_dir(base));
  remove_dead(base);
  DriverHome made(base / ("drivers-" + random_hex(4)), programs);
  PYBOX_TRY(sys::ensure_private_dir(made.drivers()));
  made.lock_ = try_lock(made.root_);
  PYBOX_TRY(sys::ensure_private_dir(made.home()));
  for (const auto& [name, text] : sources.drivers)
    PYBOX_TRY(sys::replace_file(made.drivers() / name, text, 0600, sys::Durability::Unsynced));
  for (const char* shared : kShared) PYBOX_TRY(link_tree(dirs.home / shared, made.home() / shared));
  return made;
}

DriverHome::~DriverHome() {
  if (root_.empty()) return;
  life_.reset();
  if (guard_.is_running()) (void)guard_.wait(kStopPatience).has_value();
  (void)sys::remove_tree(root_).has_value();
}

Result<fs::path> DriverHome::fresh_scratch() {
  const fs::path scratch = root_ / "scratch";
  PYBOX_TRY(sys::remove_tree(scratch));
  PYBOX_TRY(sys::ensure_private_dir(scratch));
  return scratch;
}

Result<void> DriverHome::start_vm() {
  if (!guard_.is_running()) PYBOX_TRY(guard_vm());
  return pybox({"vm", "start"});
}

Result<void> DriverHome::guard_vm() {
  sys::Pipe life = PYBOX_TRY(sys::make_pipe());
  sys::SpawnPlan plan;
  plan.program = "sh";
  plan.args = {"-c", "read -r none; exec \"$0\" vm stop", pybox_of(programs_).string()};
  plan.environment = sys::tool_environment();
  plan.environment.push_back("PYBOX_HOME=" + home().string());
  plan.fds = {{life.read.get(), 0}};
  plan.new_session = true;
  guard_ = PYBOX_TRY(sys::spawn(plan));
  life_ = std::move(life.write);
  return {};
}

Result<void> DriverHome::pybox(std::vector<std::string> words) const {
  sys::SpawnPlan plan;
  plan.program = pybox_of(programs_);
  plan.args = std::move(words);
  plan.environment = sys::tool_environment();
  plan.environment.push_back("PYBOX_HOME=" + home().string());
  plan.new_session = true;
  const sys::ToolResult ended = PYBOX_TRY(sys::run_tool(plan, kStartPatience));
  if (ended.ok()) return {};
  return Error(ErrorKind::NotRunning, "`pybox " + plan.args.back() + "` failed: " + ended.err);
}

}  // namespace pybox::campaign
