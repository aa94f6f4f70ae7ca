#include "cli/terminal/summary.hpp"

#include <fmt/core.h>

#include <cstring>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "cli/terminal/terminal.hpp"

namespace pybox::cli {
namespace {

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name == nullptr ? std::to_string(number) : fmt::format("{} (SIG{})", number, name);
}

std::string count_of(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string time_row(const Receipt& receipt) {
  const auto wall = receipt.report.outcome.wall;
  return fmt::format("{} of {} s", wall ? human_seconds(*wall) : "unknown",
                     seconds(receipt.request.timeout));
}

std::string memory_row(const Receipt& receipt) {
  const KernelReadings& kernel = receipt.report.kernel;
  std::string text = "unknown";
  if (kernel.memory_peak_bytes) {
    // Without the final reading the peak between two samples may have been missed.
    text = (kernel.memory_peak_final ? "" : "at least ") +
           human_size(Bytes{*kernel.memory_peak_bytes}) + " peak";
  }
  text += " of " + human_size(receipt.request.limits.memory);
  if (kernel.oom_kills.value_or(0) > 0) {
    text += ", " + count_of(*kernel.oom_kills, "process", "processes") + " killed for it";
  }
  return text;
}

std::string processes_row(const Receipt& receipt) {
  const KernelReadings& kernel = receipt.report.kernel;
  std::string text = kernel.pids_peak ? std::to_string(*kernel.pids_peak) + " peak" : "unknown";
  text += fmt::format(" of {}", receipt.request.limits.pids);
  if (kernel.pids_refusals.value_or(0) > 0) {
    text += fmt::format(", {} more refused", *kernel.pids_refusals);
  }
  return text;
}

std::string seal_row(const Seal& seal, bool colour) {
  const bool held = seal.verified && seal.before_start;
  return held ? seal_words(seal) : styled(seal_words(seal), Style::Red, colour);
}

std::string box_row(const Cleanup& cleanup, bool colour) {
  switch (cleanup.status) {
    case Cleanup::Status::Removed: return "removed";
    case Cleanup::Status::NotAttempted: return "never made";
    case Cleanup::Status::Unconfirmed: break;
  }
  return styled("removal not confirmed", Style::Red, colour);
}

std::string place_row(const Receipt& receipt) {
  const Request& request = receipt.request;
  std::string text = request.image;
  if (!receipt.image_id.empty()) text += " " + receipt.image_id.substr(0, 19);
  text += fmt::format(", Python {}, {} engine", request.python, name_of(request.engine));
  if (receipt.accelerator) text += " on " + *receipt.accelerator;
  return text;
}

std::string files_row(const Files& files, std::string_view output) {
  std::uint64_t bytes = 0;
  for (const ReturnedFile& file : files.returned) bytes += file.bytes;
  std::string text = fmt::format("{} back, {}", count_of(files.returned.size(), "file", "files"),
                                 human_size(Bytes{bytes}));
  if (!output.empty()) text += ", in " + visible(output);
  if (files.status == Files::Status::Refused) text = "transfer refused";
  if (files.status == Files::Status::NotReceived) text = "no transfer received";
  if (files.omitted_total > 0) text += fmt::format(", {} left behind", files.omitted_total);
  return text;
}

Style style_of(const RunReport& report) {
  const bool fine =
      report.outcome.observation == Observation::TargetExit && report.outcome.exit_code == 0;
  return fine ? Style::Green : Style::Yellow;
}

}  // namespace

std::string ending(const RunReport& report) {
  const Outcome& outcome = report.outcome;
  switch (outcome.observation) {
    case Observation::TargetExit:
      if (outcome.signal) return "died of its own signal " + signal_name(*outcome.signal);
      return fmt::format("ended by itself, exit code {}", outcome.exit_code.value_or(0));
    case Observation::SupervisorKill: return "stopped at its time limit";
    case Observation::BoxTimerKill: return "stopped by the box timer";
    case Observation::OutOfMemoryKill: return "killed for memory";
    case Observation::CancelKill: return "cancelled";
    case Observation::BoxLost: return "box lost, how the program ended is unknown";
    case Observation::NotStarted: return "not started";
  }
  return "unknown";
}

std::string summary_text(const Receipt& receipt, bool colour, std::string_view output) {
  const RunReport& report = receipt.report;
  std::string text = styled("pybox:", Style::Bold, colour) + " " +
                     styled(ending(report), style_of(report), colour) + "\n";
  const auto row = [&](std::string_view label, const std::string& value) {
    text += "  " + styled(fmt::format("{:<10}", label), Style::Dim, colour) + " " + value + "\n";
  };
  if (report.outcome.observation != Observation::NotStarted) {
    row("time", time_row(receipt));
    row("memory", memory_row(receipt));
    row("processes", processes_row(receipt));
    row("sealed", seal_row(report.seal, colour));
  }
  row("box", box_row(report.cleanup, colour));
  if (report.files.status != Files::Status::None) row("files", files_row(report.files, output));
  row("ran in", place_row(receipt));
  row("receipt", receipt.receipt_id);
  for (const std::string& hint : receipt.hints) row("hint", hint);
  return text;
}

}  // namespace pybox::cli
