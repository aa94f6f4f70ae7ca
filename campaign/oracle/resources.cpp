#include "campaign/oracle/resources.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "campaign/oracle/probe.hpp"
#include "request/limits.hpp"

namespace pybox::campaign {
namespace {

/// A probe's word that the numbers do not bear out.
Reading unproven_limit(const Reading& said, std::string why) {
  return {kUnproven, std::move(why), said.line};
}

Reading without_report(const Reading& said) {
  return said.signature == kReached ? unproven_limit(said, "no report from the box") : said;
}

/// Of quota: the kernel hands CPU time out in slices of some milliseconds a period of 100 ms, and
/// the last period may be spent whole.
constexpr double kCpuSlack = 1.1;
constexpr double kCpuSlackSeconds = 0.1;
/// A busy machine does not let a box burn for long: half a second above its share shows as much.
/// Six periods of quota can fall into it, not five, hence the slack.
constexpr Nanos kWindow = Millis(500);
constexpr double kWindowSlack = 1.4;

/// The most CPU seconds a second over any stretch of at least kWindow between two samples.
double fastest_window(const std::vector<Sample>& series) {
  double fastest = 0;
  for (std::size_t from = 0; from < series.size(); ++from) {
    for (std::size_t to = from + 1; to < series.size(); ++to) {
      const Nanos passed = series[to].at - series[from].at;
      if (passed < kWindow || !series[from].cpu_s || !series[to].cpu_s) continue;
      fastest = std::max(fastest, (*series[to].cpu_s - *series[from].cpu_s) / seconds(passed));
    }
  }
  return fastest;
}

}  // namespace

Reading read_oom(const Check& check, const Record& record) {
  const Reading said = read_probe(check, record);
  if (!record.report) return without_report(said);
  const std::uint64_t limit = limits_for_image(check.image).memory.count;
  const auto peak = record.report->kernel.memory_peak_bytes;
  const std::string numbers = fmt::format(
      "peak {} of {}", peak ? human_size(Bytes{*peak}) : "unknown", human_size(Bytes{limit}));
  if (said.signature == kReached) {
    if (!peak || *peak <= limit) return unproven_limit(said, "`reached`, but " + numbers);
    return {kReached, numbers, said.line};
  }
  if (record.report->kernel.oom_kills.value_or(0) == 0) return {said.signature, numbers, said.line};
  if (!peak || *peak > limit)
    return {"over-limit", "killed for memory late: " + numbers, said.line};
  return {"oom", numbers, said.line};
}

Reading read_pids(const Check& check, const Record& record) {
  const Reading said = read_probe(check, record);
  if (!record.report) return without_report(said);
  const std::uint64_t limit = limits_for_image(check.image).pids;
  const auto peak = record.report->kernel.pids_peak;
  const auto refusals = record.report->kernel.pids_refusals;
  const std::string numbers =
      fmt::format("peak {} of {}, refusals {}", peak ? std::to_string(*peak) : "unknown", limit,
                  refusals ? std::to_string(*refusals) : "unknown");
  if (said.signature == kReached) {
    // Some kernels keep no peak (cgroup v1): then that nothing was refused must do.
    const bool over = peak ? *peak > limit : refusals.value_or(1) == 0;
    return over ? Reading{kReached, numbers, said.line}
                : unproven_limit(said, "`reached`, but " + numbers);
  }
  if (refusals.value_or(0) == 0) return {said.signature, numbers, said.line};
  if (peak && *peak > limit) return {"over-limit", numbers, said.line};
  return {"refused", numbers, said.line};
}

Reading read_cpu(const Check& check, const Record& record) {
  const Reading said = read_probe(check, record);
  if (!record.report) return without_report(said);
  const auto used = record.report->kernel.cpu_usage_s;
  const auto wall = record.report->outcome.wall;
  if (!used || !wall) return {kMalformed, "the report has no CPU time or no duration", said.line};
  const double share = limits_for_image(check.image).cpu.count / 1000.0;
  const double allowed = share * seconds(*wall);
  const double fastest = fastest_window(record.report->kernel.series);
  const double throttled = record.report->kernel.cpu_throttled_s.value_or(0);
  const std::string numbers = fmt::format(
      "{:.2f} s of CPU in {:.2f} s, allowed {:.2f} s, at most {:.2f} a second, throttled {:.2f} s",
      *used, seconds(*wall), allowed, fastest, throttled);
  if (*used > allowed * kCpuSlack + kCpuSlackSeconds || fastest > share * kWindowSlack)
    return {kReached, numbers, said.line};
  if (throttled > 0) return {"throttled", numbers, said.line};
  return {"idle", "the limit was never met: " + numbers, said.line};
}

Reading read_timeout(const Check& check, const Record& record) {
  const Reading said = read_probe(check, record);
  if (!record.report) return without_report(said);
  const Outcome& outcome = record.report->outcome;
  const std::string numbers =
      fmt::format("{} after {}", name_of(outcome.observation),
                  outcome.wall ? human_seconds(*outcome.wall) : "an unknown time");
  if (said.signature == kReached) return {kReached, numbers, said.line};
  switch (outcome.observation) {
    case Observation::SupervisorKill: return {"timeout", numbers, said.line};
    case Observation::BoxTimerKill: return {"box-timer", numbers, said.line};
    default: return {said.signature, numbers, said.line};
  }
}

Reading read_wait_status(const Check& check, const Record& record) {
  const Reading said = read_probe(check, record);
  if (!record.report) return without_report(said);
  const Outcome& outcome = record.report->outcome;
  const bool told = std::any_of(
      outcome.evidence.begin(), outcome.evidence.end(),
      [](const std::string& each) { return each == "wait status: killed by signal 9"; });
  std::string numbers = fmt::format("{} after {}, {}", name_of(outcome.observation),
                                    outcome.wall ? human_seconds(*outcome.wall) : "an unknown time",
                                    told ? "wait status known" : "no wait status");
  if (outcome.observation != Observation::SupervisorKill)
    return {said.signature, std::move(numbers), said.line};
  return {told ? "killed" : kReached, std::move(numbers), said.line};
}

Reading read_output(const Check& check, const Record& record) {
  if (!record.report) return without_report(read_probe(check, record));
  const Limits limits = limits_for_image(check.image);
  const CapturedStream& out = record.report->out;
  const CapturedStream& err = record.report->err;
  const std::string numbers = fmt::format("kept {} of {} and {} of {} bytes", out.bytes.size(),
                                          out.bytes_total, err.bytes.size(), err.bytes_total);
  if (out.bytes.size() > limits.stdout_bytes.count || err.bytes.size() > limits.stderr_bytes.count)
    return {kReached, numbers, {}};
  if (out.truncated() || err.truncated()) return {"truncated", numbers, {}};
  // Not more than fits was written: what the probe says of it counts.
  return read_probe(check, record);
}

Reading read_files(const Check& check, const Record& record) {
  const Reading said = read_probe(check, record);
  if (!record.report) return without_report(said);
  const Files& files = record.report->files;
  const std::string planted = record.canary + ":file";
  for (const ReturnedFile& file : files.returned) {
    if (file.sha256 == sha256_hex(planted) || file.sha256 == sha256_hex(planted + "\n"))
      return {kReached, "the planted file came back as `" + visible(file.name) + "`", said.line};
  }
  std::uint64_t bytes = 0;
  for (const ReturnedFile& file : files.returned) bytes += file.bytes;
  std::string numbers =
      fmt::format("{} returned with {} in all, {} left behind", files.returned.size(),
                  human_size(Bytes{bytes}), files.omitted_total);
  if (files.returned.size() > ceiling::kReturnedFiles || bytes > ceiling::kReturnedBytes.count)
    return {kReached, numbers, said.line};
  if (!files.omitted.empty()) numbers += ", the first: " + visible(files.omitted.front().reason);
  if (files.status == Files::Status::Refused) return {"refused", numbers, said.line};
  if (files.status == Files::Status::NotReceived) return {"not-received", numbers, said.line};
  if (files.omitted_total > 0) return {"omitted", numbers, said.line};
  return {files.returned.empty() ? "none" : "received", numbers, said.line};
}

Reading read_moment(const Check& check, const Record& record) {
  const Reading said = read_probe(check, record);
  if (!record.report) return without_report(said);
  const std::vector<ReturnedFile>& files = record.report->files.returned;
  if (files.size() < 2) return {"not-received", "fewer than two files came back", said.line};
  // Written in turn, round after round, each a byte longer than in the round before: at any one
  // moment sizes only fall from file to file, and by one byte at most in all.
  for (std::size_t at = 1; at < files.size(); ++at) {
    const ReturnedFile& before = files[at - 1];
    if (files[at].bytes > before.bytes || files[at].bytes + 1 < files.front().bytes)
      return {kReached,
              fmt::format("`{}` has {} bytes, `{}` after it {}", visible(before.name), before.bytes,
                          visible(files[at].name), files[at].bytes),
              said.line};
  }
  if (record.report->files.omitted_total > 0)
    return {kReached, "a file changed while it was read", said.line};
  return {"one-moment", fmt::format("{} files of one round", files.size()), said.line};
}

}  // namespace pybox::campaign
