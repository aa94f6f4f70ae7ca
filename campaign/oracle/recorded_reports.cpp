#include <fmt/core.h>

#include "base/text.hpp"
#include "campaign/oracle/probe.hpp"
#include "campaign/oracle/recorded_runs.hpp"
#include "request/limits.hpp"

namespace pybox::campaign {
namespace {

constexpr const char* kReportAsRecorded = "as-recorded";

/// Why a report does not tell of a program that ended by itself with 0; empty when it does.
std::string otherwise_ended(const RunReport& report) {
  if (report.outcome.observation != Observation::TargetExit)
    return fmt::format("the run ended with {}", name_of(report.outcome.observation));
  if (report.outcome.exit_code != 0) return "the exit code is not 0";
  return {};
}

std::string count_text(const std::optional<std::uint64_t>& count) {
  return count ? std::to_string(*count) : "unknown";
}

/// `reached` only when the kernel's numbers say so too.
Reading reached_if(bool borne_out, const Reading& said, const std::string& numbers) {
  if (borne_out) return {kReached, numbers, said.line};
  return {kUnproven, "`reached`, but " + numbers, said.line};
}

}  // namespace

Reading read_recorded_memory(const Check& check, const Record& record) {
  const Reading said = read_probe(check, record);
  if (!record.report) return {kUnproven, "no report from the box", said.line};
  const KernelReadings& kernel = record.report->kernel;
  const std::uint64_t limit = limits_for_image(check.image).memory.count;
  const std::string numbers = fmt::format(
      "{} kills for memory, peak {} of {}", count_text(kernel.oom_kills),
      kernel.memory_peak_bytes ? human_size(Bytes{*kernel.memory_peak_bytes}) : "unknown",
      human_size(Bytes{limit}));
  if (said.signature == kReached)
    return reached_if(kernel.memory_peak_bytes.value_or(0) > limit, said, numbers);
  if (said.signature != "killed") return said;
  const std::string other = otherwise_ended(*record.report);
  if (!other.empty()) return {"untold", other, said.line};
  if (!record.report->outcome.out_of_memory.value_or(false) || kernel.oom_kills.value_or(0) == 0)
    return {"untold", "a child was killed, and the report says: " + numbers, said.line};
  return {kReportAsRecorded, "the parent ended by itself; " + numbers, said.line};
}

Reading read_recorded_processes(const Check& check, const Record& record) {
  const Reading said = read_probe(check, record);
  if (!record.report) return {kUnproven, "no report from the box", said.line};
  const KernelReadings& kernel = record.report->kernel;
  const std::uint64_t limit = limits_for_image(check.image).pids;
  const std::string numbers =
      fmt::format("peak {} of {}, {} refusals", count_text(kernel.pids_peak), limit,
                  count_text(kernel.pids_refusals));
  if (said.signature == kReached)
    return reached_if(
        kernel.pids_refusals.value_or(1) == 0 && kernel.pids_peak.value_or(limit + 1) > limit, said,
        numbers);
  if (said.signature != "EAGAIN") return said;
  const std::string other = otherwise_ended(*record.report);
  if (!other.empty()) return {"untold", other, said.line};
  // Some kernels keep no peak.
  if (kernel.pids_refusals.value_or(0) == 0 || kernel.pids_peak.value_or(limit) > limit)
    return {"untold", "processes were refused, and the report says: " + numbers, said.line};
  return {kReportAsRecorded, numbers, said.line};
}

Reading read_recorded_outside(const Check& check, const Record& record) {
  const Reading said = read_probe(check, record);
  if (said.signature != "ENOENT") return said;
  if (!record.report) return {kUnproven, "no report from the box", said.line};
  const std::string other = otherwise_ended(*record.report);
  if (!other.empty()) return {"untold", other, said.line};
  if (!record.report->seal.verified || !record.report->seal.before_start)
    return {"untold", "the seal was not verified before the start", said.line};
  if (!record.canary.empty() && record.out.find(record.canary) != std::string::npos)
    return {kReached, "the canary stands in the output", said.line};
  return {kReportAsRecorded, "no such file, no such setting", said.line};
}

}  // namespace pybox::campaign
