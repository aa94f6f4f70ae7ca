#include "mcp/result_text.hpp"

#include <fmt/core.h>

#include "base/text.hpp"

namespace pybox::mcp {
namespace {

std::string stream_text(std::string_view name, const CapturedStream& stream) {
  if (stream.bytes.empty()) return fmt::format("\n{}: empty\n", name);
  std::string text = visible(stream.bytes, Lines::Keep);
  if (!text.ends_with('\n')) text += '\n';
  const std::string cut = stream.truncated() ? fmt::format(" (the first {} of {} bytes)",
                                                           stream.bytes.size(), stream.bytes_total)
                                             : "";
  return fmt::format("\n{}{}:\n{}", name, cut, text);
}

}  // namespace

std::string error_words(const Error& error) {
  std::string text = "error: " + visible(error.message()) + "\n";
  if (!error.hint().empty()) text += "hint: " + visible(error.hint()) + "\n";
  return text;
}

std::string result_text(const Receipt& receipt) {
  const RunReport& report = receipt.report;
  const Outcome& outcome = report.outcome;
  std::string text;
  if (outcome.observation == Observation::NotStarted) {
    text = "error: the script was not run\n";
    for (const std::string& line : outcome.evidence) text += visible(line) + "\n";
  } else {
    text = fmt::format("exit code: {}\nduration: {}\n",
                       outcome.exit_code ? std::to_string(*outcome.exit_code) : "unknown",
                       outcome.wall ? human_seconds(*outcome.wall) : "unknown");
    if (outcome.observation != Observation::TargetExit) {
      text += fmt::format("ended by: {}\n", name_of(outcome.observation));
    }
    if (report.cleanup.status != Cleanup::Status::Removed) {
      text += fmt::format("cleanup: {}\n", name_of(report.cleanup.status));
    }
  }
  for (const std::string& hint : receipt.hints) text += "hint: " + visible(hint) + "\n";
  if (outcome.observation == Observation::NotStarted) return text;
  return text + stream_text("stdout", report.out) + stream_text("stderr", report.err);
}

}  // namespace pybox::mcp
