#include "campaign/run/driver.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "sys/fd.hpp"
#include "sys/runner.hpp"

namespace pybox::campaign {
namespace {

/// A file in memory with the text, read from its start.
Result<sys::Fd> file_with(std::string_view text) {
  sys::Fd file(::memfd_create("ask", MFD_CLOEXEC));
  if (!file.is_open()) return Error::from_errno(errno, "making a driver's stdin");
  PYBOX_TRY(sys::write_all(file.get(), text));
  if (::lseek(file.get(), 0, SEEK_SET) != 0)
    return Error::from_errno(errno, "rewinding a driver's stdin");
  return file;
}

std::string trouble_of(const sys::ToolResult& ran, Nanos timeout) {
  const sys::WaitStatus& status = ran.status;
  if (ran.cancelled) return "cancelled";
  if (ran.timed_out)
    return "the driver did not end within " + std::to_string(timeout / std::chrono::seconds(1)) +
           " s";
  if (status.by_signal) return "the driver died of signal " + std::to_string(status.code);
  if (status.code != 0) return "the driver ended with exit code " + std::to_string(status.code);
  return {};
}

}  // namespace

std::filesystem::path pybox_of(const std::filesystem::path& programs) {
  std::error_code ignored;
  std::filesystem::path beside = programs / "pybox";
  if (std::filesystem::exists(beside, ignored)) return beside;
  return programs.parent_path().parent_path() / "bin" / "pybox";
}

Result<DriverRun> run_driver(const DriverOrder& order) {
  sys::Fd ask = PYBOX_TRY(file_with(order.ask));
  sys::SpawnPlan plan;
  plan.program = "python3";
  plan.args = {"-B", order.name};
  plan.folder = order.folder;
  plan.environment = sys::tool_environment();
  std::erase_if(plan.environment,
                [](const std::string& each) { return each.starts_with("HOME="); });
  plan.environment.push_back("HOME=" + order.home.string());
  plan.fds = {{ask.get(), 0}};
  plan.new_session = true;

  sys::ToolResult ran = PYBOX_TRY(sys::run_to_end(
      std::move(plan),
      {.patience = order.timeout, .kept = kDriverOutputKept, .cancel_fd = order.cancel_fd}));
  std::string trouble = trouble_of(ran, order.timeout);
  return DriverRun{std::move(ran.out), std::move(ran.err), ran.took, std::move(trouble),
                   ran.cancelled};
}

}  // namespace pybox::campaign
