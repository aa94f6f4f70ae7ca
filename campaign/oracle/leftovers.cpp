#include "campaign/oracle/leftovers.hpp"

#include <fmt/core.h>

#include "base/text.hpp"
#include "campaign/oracle/probe.hpp"
#include "request/limits.hpp"

namespace pybox::campaign {
namespace {

/// What an interpreter and the kernel's bookkeeping need beside a full scratch space. Measured: 10
/// MiB.
constexpr Bytes kBeside = 24_MiB;
/// The program, and one process that it may be about to collect itself.
constexpr std::uint64_t kAlive = 2;

Reading unproven(const Reading& said, std::string why) {
  return {kUnproven, std::move(why), said.line};
}

}  // namespace

Reading read_scratch(const Check& check, const Record& record) {
  const Reading said = read_probe(check, record);
  const auto peak = record.report ? record.report->kernel.memory_peak_bytes : std::nullopt;
  if (!peak) return unproven(said, "no peak of memory was read");
  const Bytes limit = limits_for_image(check.image).tmp;
  const std::string numbers =
      fmt::format("peak {}, scratch space of {}", human_size(Bytes{*peak}), human_size(limit));
  const std::uint64_t most = limit.count + kBeside.count;
  if (said.signature == kReached && *peak <= most) return unproven(said, numbers);
  if (said.signature == "ENOSPC" && (*peak > most || *peak < limit.count))
    return unproven(said, numbers);
  return {said.signature, numbers, said.line};
}

Reading read_inodes(const Check& check, const Record& record) {
  const Reading said = read_probe(check, record);
  if (!record.report) return unproven(said, "no report from the box");
  const Files& files = record.report->files;
  const std::uint64_t found = files.returned.size() + files.omitted_total;
  const std::uint64_t limit = limits_for_image(check.image).tmp_inodes;
  const std::string numbers = fmt::format("{} files found, room for {}", found, limit);
  if (said.signature == kReached && found <= limit) return unproven(said, numbers);
  // Some of the room is taken by the box's own folders.
  if (said.signature == "ENOSPC" && (found > limit || found < limit / 2))
    return unproven(said, numbers);
  return {said.signature, numbers, said.line};
}

Reading read_orphans(const Check& check, const Record& record) {
  const Reading said = read_probe(check, record);
  if (!record.report || said.signature != "done")
    return unproven(said, "the program did not come to its end");
  std::uint64_t peak = record.report->kernel.pids_peak.value_or(0);
  std::optional<std::uint64_t> last;
  for (const Sample& sample : record.report->kernel.series) {
    if (!sample.pids) continue;
    last = sample.pids;
    peak = std::max(peak, *sample.pids);
  }
  if (!last) return unproven(said, "no sample of the number of processes");
  const std::string numbers = fmt::format("{} tasks at most, {} at last", peak, *last);
  if (peak <= kAlive) return unproven(said, numbers);
  return {*last > kAlive ? kReached : "collected", numbers, said.line};
}

Reading read_cleanup(const Check& check, const Record& record) {
  const Reading said = read_probe(check, record);
  if (!record.report) return unproven(said, "no report from the box");
  const Cleanup& cleanup = record.report->cleanup;
  const auto killed = record.report->outcome.leftovers_killed;
  const std::string numbers =
      fmt::format("{}: {}; {} tasks left behind", name_of(cleanup.status), visible(cleanup.detail),
                  killed ? std::to_string(*killed) : "unknown");
  if (cleanup.status == Cleanup::Status::Unconfirmed) return {kReached, numbers, said.line};
  if (cleanup.status != Cleanup::Status::Removed) return unproven(said, numbers);
  if (killed.value_or(1) == 0) return {"nothing left behind", numbers, said.line};
  return {"removed", numbers, said.line};
}

}  // namespace pybox::campaign
