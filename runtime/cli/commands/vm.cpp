#include "cli/commands/vm.hpp"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "builder/vm.hpp"
#include "cli/commands/commands.hpp"
#include "cli/terminal/exit_code.hpp"
#include "cli/terminal/progress.hpp"
#include "request/settings.hpp"
#include "sys/file.hpp"
#include "vm/client.hpp"
#include "vm/lock.hpp"
#include "vm/start.hpp"

namespace pybox::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array kOptions = {Option{"--json", "", "print JSON"}};
constexpr std::array kStartOptions = {
    Option{"--json", "", "print JSON"},
    Option{"--engine", "vm|native", "the engine to prepare (default: vm)"}};
constexpr Bytes kLogLimit = 4_MiB;

Result<int> show_json(const sys::StateDirs& dirs) {
  const vm::Status status = PYBOX_TRY(vm::status_of(dirs));
  PYBOX_TRY(print(vm::status_to_json(status) + "\n"));
  return exit_code::kOk;
}

std::string started_text(const vm::Started& started, Nanos took) {
  if (started.already) {
    return fmt::format("the VM is already running (pid {})\n", started.status.pid);
  }
  return fmt::format("the VM is running: {} in {}, {}\n", started.status.state, human_seconds(took),
                     started.status.accelerator);
}

Result<void> check_engine(std::string_view name) {
  const EngineKind kind = PYBOX_TRY(engine_choice(name, "`--engine`"));
  if (kind == EngineKind::Vm) return {};
  return Error(ErrorKind::HostCannot, "the native engine has nothing to start ahead yet")
      .hint("`pybox exec --engine native` starts what it needs");
}

Result<int> run_start(const Words& words, const Surroundings&) {
  PYBOX_TRY(check_engine(words.value("--engine").value_or("vm")));
  const Nanos began = monotonic_now();
  const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
  const std::unique_ptr<Progress> progress = draw_progress(ProgressMode::Auto);
  vm::StartWatcher watcher;
  watcher.stage = [&](std::string_view text) { progress->stage(text); };
  watcher.notice = [&](std::string_view text) { progress->note(text); };
  const vm::Started started = PYBOX_TRY(vm::start(dirs, watcher));
  progress->stage("");
  if (words.has("--json")) return show_json(dirs);
  say(started_text(started, monotonic_now() - began));
  return exit_code::kOk;
}

Result<int> run_stop(const Words& words, const Surroundings&) {
  const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
  const vm::Stopped stopped = PYBOX_TRY(vm::stop(dirs));
  if (words.has("--json")) return show_json(dirs);
  switch (stopped) {
    case vm::Stopped::WasNotRunning: say("the VM was not running\n"); break;
    case vm::Stopped::Ended: say("the VM is stopped\n"); break;
    case vm::Stopped::Killed: say("the VM did not end by itself and was killed\n"); break;
  }
  return exit_code::kOk;
}

Result<int> run_status(const Words& words, const Surroundings&) {
  const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
  if (words.has("--json")) return show_json(dirs);
  const vm::Status status = PYBOX_TRY(vm::status_of(dirs));
  PYBOX_TRY(print(vm_status_text(status)));
  return exit_code::kOk;
}

/// A log with the part of it that was turned over; empty when there is none.
Result<std::string> read_log(const fs::path& file) {
  std::string text;
  for (const fs::path& part : {fs::path(file.string() + ".old"), file}) {
    const auto read = sys::read_file(part, kLogLimit);
    if (!read && read.error().errno_code() == ENOENT) continue;
    if (!read) return read.error();
    text += *read;
  }
  return text;
}

/// The guest wrote most of it, so nothing of it may reach a terminal as it is.
std::string log_text(std::string text, std::string_view title) {
  if (text.empty()) return text;
  std::erase(text, '\r');
  if (text.back() != '\n') text += '\n';
  return "== " + std::string(title) + "\n" + visible(text, Lines::Keep);
}

Result<int> run_logs(const Words& words, const Surroundings&) {
  const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
  const std::string own = PYBOX_TRY(read_log(vm::supervisor_log_path(dirs)));
  const std::string guest = PYBOX_TRY(read_log(vm::console_path(dirs)));
  const std::string builder = PYBOX_TRY(read_log(builder::builder_console_path(dirs)));
  PYBOX_TRY(print(words.has("--json")
                      ? vm_logs_json(own, guest, builder)
                      : log_text(own, "supervisor") + log_text(guest, "guest console and QEMU") +
                            log_text(builder, "builder VMs: guest console and QEMU")));
  if (own.empty() && guest.empty() && builder.empty()) say("there are no VM logs yet\n");
  return exit_code::kOk;
}

}  // namespace

std::string vm_status_text(const vm::Status& status) {
  if (!status.running) return "the VM is not running; `pybox vm start` starts it\n";
  std::string text = fmt::format(
      "running ({}) since {}\n  supervisor  pid {}\n  QEMU        pid {}, {}, {}, {} CPUs\n"
      "  runs        {} in progress\n",
      visible(status.state), human_seconds(status.uptime), status.pid, status.qemu_pid,
      visible(status.accelerator), human_size(status.memory), status.cpus, status.runs);
  for (const std::string& image : status.images) text += "  image       " + visible(image) + "\n";
  for (const std::string& notice : status.notices)
    text += "  notice      " + visible(notice) + "\n";
  return text;
}

const Command kVmStart{
    .name = "vm start",
    .summary = "Start the VM unless it runs",
    .synopsis = "[--json] [--engine vm|native]",
    .positionals = {},
    .options = kStartOptions,
    .details =
        "The first start boots the guest and saves its state; later ones resume it.\n"
        "KVM is used where it works, emulation (TCG) elsewhere; PYBOX_VM_ACCELERATOR\n"
        "(auto, kvm, tcg) chooses. vm_memory_bytes and vm_cpus in config.json set its\n"
        "size.",
    .program_option = {},
    .run = run_start,
};

const Command kVmStop{
    .name = "vm stop",
    .summary = "Stop the VM and everything in it",
    .synopsis = "[--json]",
    .positionals = {},
    .options = kOptions,
    .details = {},
    .program_option = {},
    .run = run_stop,
};

const Command kVmStatus{
    .name = "vm status",
    .summary = "Say whether the VM runs and how",
    .synopsis = "[--json]",
    .positionals = {},
    .options = kOptions,
    .details = {},
    .program_option = {},
    .run = run_status,
};

const Command kVmLogs{
    .name = "vm logs",
    .summary = "Print the output of the guest's console, QEMU and the supervisor",
    .synopsis = "[--json]",
    .positionals = {},
    .options = kOptions,
    .details = {},
    .program_option = {},
    .run = run_logs,
};

}  // namespace pybox::cli
