#include <fmt/core.h>

#include <algorithm>

#include "base/text.hpp"
#include "receipt/receipt.hpp"

namespace pybox {
namespace {

std::string larger_image(const Receipt& receipt, const HintWords& words) {
  if (receipt.request.image != "stdlib") return "";
  return fmt::format("; images other than `stdlib` allow more ({})", words.image);
}

void hint_about_time(const Receipt& receipt, const HintWords& words,
                     std::vector<std::string>& hints) {
  const Outcome& outcome = receipt.report.outcome;
  if (outcome.observation == Observation::SupervisorKill) {
    hints.push_back(fmt::format("the limit of {} s was reached: ask for more with {}",
                                seconds(receipt.request.timeout), words.timeout));
  } else if (outcome.observation == Observation::BoxTimerKill) {
    hints.push_back(
        "the timer inside the sealed side ended the box: PyBox itself was gone or too busy to do "
        "it");
  }
}

void hint_about_memory(const Receipt& receipt, const HintWords& words,
                       std::vector<std::string>& hints) {
  if (!receipt.report.outcome.out_of_memory.value_or(false)) return;
  const bool target = receipt.report.outcome.observation == Observation::OutOfMemoryKill;
  hints.push_back(fmt::format("the memory limit of {} was reached: the kernel killed {}{}",
                              human_size(receipt.request.limits.memory),
                              target ? "the program" : "a process in the box",
                              larger_image(receipt, words)));
}

void hint_about_processes(const Receipt& receipt, const HintWords& words,
                          std::vector<std::string>& hints) {
  const std::uint64_t refusals = receipt.report.kernel.pids_refusals.value_or(0);
  if (refusals == 0) return;
  hints.push_back(
      fmt::format("the limit of {} processes and threads was reached: {} more {} refused{}",
                  receipt.request.limits.pids, refusals, refusals == 1 ? "was" : "were",
                  larger_image(receipt, words)));
}

void hint_about_output(const Receipt& receipt, std::vector<std::string>& hints) {
  const auto cut = [&](const char* name, const CapturedStream& stream, Bytes limit) {
    if (!stream.truncated()) return;
    hints.push_back(fmt::format("{} was cut: {} of {} bytes were kept (the limit is {})", name,
                                stream.bytes.size(), stream.bytes_total, limit.count));
  };
  cut("stdout", receipt.report.out, receipt.request.limits.stdout_bytes);
  cut("stderr", receipt.report.err, receipt.request.limits.stderr_bytes);
}

void hint_about_cpu(const Receipt& receipt, const HintWords& words,
                    std::vector<std::string>& hints) {
  const KernelReadings& kernel = receipt.report.kernel;
  const auto wall = receipt.report.outcome.wall;
  // Only where waiting for the quota may be what cost the time.
  if (receipt.report.outcome.observation != Observation::SupervisorKill) return;
  if (!wall || !kernel.cpu_throttled_s || *kernel.cpu_throttled_s < 0.25 * seconds(*wall)) return;
  hints.push_back(fmt::format("the CPU limit of {} cores held the program back for {:.1f} s{}",
                              receipt.request.limits.cpu.count / 1000.0, *kernel.cpu_throttled_s,
                              larger_image(receipt, words)));
}

void hint_about_signal(const Receipt& receipt, std::vector<std::string>& hints) {
  if (receipt.report.outcome.signal != 31) return;  // SIGSYS
  hints.push_back("the program died of SIGSYS: a system call that the filter does not permit");
}

/// Only that it happened: names are the program's words.
void hint_about_files(const Receipt& receipt, std::vector<std::string>& hints) {
  const Files& files = receipt.report.files;
  if (files.status == Files::Status::Refused) {
    hints.push_back(
        "no file came back: names in /tmp/output differ only in case or normalisation, which some "
        "file systems take for one; `files.omitted` lists them");
  } else if (files.omitted_total > 0) {
    hints.push_back("some files were left behind; `files.omitted` of the receipt says why");
  }
}

void hint_about_the_box(const Receipt& receipt, std::vector<std::string>& hints) {
  if (receipt.report.outcome.observation == Observation::BoxLost) {
    hints.push_back(receipt.request.engine == EngineKind::Vm
                        ? "the VM ended during the run: see `pybox vm logs`, then `pybox vm start`"
                        : "the box's supervisor ended during the run");
  }
  if (receipt.report.cleanup.status == Cleanup::Status::Unconfirmed) {
    hints.push_back(
        "the box may still be there: it ends at its timer, and the next run removes leftovers");
  }
}

void note(RunReport& report, std::string text) {
  auto& notes = report.notes;
  if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(std::move(text));
}

void add_notes(Receipt& receipt) {
  const std::string& image = receipt.request.image;
  if (image != "stdlib" && image != "data") {
    note(receipt.report,
         "own image: its packages were chosen by a user and may run start-up code of their own");
  }
  if (receipt.accelerator == "tcg") {
    note(receipt.report,
         "TCG emulates the CPU: it is slower, and it is not a hardware boundary around the box");
  }
  if (receipt.report.host.cgroup == "v1") {
    note(receipt.report,
         "cgroup v1: the kernel charges memory by other rules than v2 (sockets are counted apart)");
  }
  if (receipt.request.engine == EngineKind::Native) {
    note(receipt.report, "native engine: the box shares the kernel of this host");
  }
}

}  // namespace

void add_hints(Receipt& receipt, const HintWords& words) {
  receipt.hints.clear();
  if (receipt.report.failure && !receipt.report.failure->hint.empty()) {
    receipt.hints.push_back(receipt.report.failure->hint);
  }
  hint_about_time(receipt, words, receipt.hints);
  hint_about_memory(receipt, words, receipt.hints);
  hint_about_processes(receipt, words, receipt.hints);
  hint_about_cpu(receipt, words, receipt.hints);
  hint_about_output(receipt, receipt.hints);
  hint_about_files(receipt, receipt.hints);
  hint_about_signal(receipt, receipt.hints);
  hint_about_the_box(receipt, receipt.hints);
  add_notes(receipt);
}

}  // namespace pybox
