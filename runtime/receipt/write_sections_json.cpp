#include <cmath>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "receipt/sections.hpp"

namespace pybox::sections {

using nlohmann::ordered_json;

namespace {

constexpr double kMicro = 1e6;

double rounded(double value, double per_unit) { return std::round(value * per_unit) / per_unit; }

template <class T>
ordered_json value_or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

/// CPU time in seconds, to the microsecond; what is no time at all is unknown.
ordered_json cpu_json(std::optional<double> cpu_s) {
  if (!cpu_s || !std::isfinite(*cpu_s) || *cpu_s < 0) return nullptr;
  return rounded(*cpu_s, kMicro);
}

ordered_json millis_json(std::optional<Nanos> time) {
  return time ? ordered_json(rounded(millis(*time), 1e3)) : ordered_json(nullptr);
}

ordered_json outcome_json(const Outcome& outcome) {
  return {{"observation", name_of(outcome.observation)},
          {"exit_code", value_or_null(outcome.exit_code)},
          {"signal", value_or_null(outcome.signal)},
          {"wall_s", seconds_json(outcome.wall)},
          {"deadline_fired", value_or_null(outcome.deadline_fired)},
          {"box_timer_fired", value_or_null(outcome.box_timer_fired)},
          {"stop_requests", value_or_null(outcome.stop_requests)},
          {"out_of_memory", value_or_null(outcome.out_of_memory)},
          {"cause", outcome.cause_established ? "established" : "not established"},
          {"evidence", texts_json(outcome.evidence)},
          {"leftovers_killed", value_or_null(outcome.leftovers_killed)}};
}

ordered_json kernel_json(const KernelReadings& kernel) {
  ordered_json series = ordered_json::array();
  for (const Sample& sample : kernel.series) {
    series.push_back(ordered_json::array({seconds_json(sample.at), count_json(sample.memory_bytes),
                                          count_json(sample.pids), cpu_json(sample.cpu_s)}));
  }
  return {{"source", kernel.source.empty() ? ordered_json(nullptr) : text_json(kernel.source)},
          {"samples", kernel.series.size()},
          {"lost_samples", value_or_null(kernel.lost_samples)},
          {"memory_peak_bytes", count_json(kernel.memory_peak_bytes)},
          {"memory_peak_final", kernel.memory_peak_final},
          {"oom_kills", count_json(kernel.oom_kills)},
          {"pids_peak", count_json(kernel.pids_peak)},
          {"pids_refusals", count_json(kernel.pids_refusals)},
          {"cpu_usage_s", cpu_json(kernel.cpu_usage_s)},
          {"cpu_throttled_s", cpu_json(kernel.cpu_throttled_s)},
          {"series", series}};
}

ordered_json stream_json(const CapturedStream& stream) {
  // The half character at the end of a cut stream is ours, not the program's: without it the rest
  // can still be text.
  const std::string_view cut =
      stream.truncated() ? cut_at_character(stream.bytes) : std::string_view(stream.bytes);
  const bool is_text = is_utf8(cut);
  const std::string_view kept = is_text ? cut : std::string_view(stream.bytes);
  // Of a stream that nobody watched (no box, or a lost one) nothing is known but that nothing was
  // kept.
  const auto if_watched = [&](const ordered_json& value) {
    return stream.was_watched() ? value : ordered_json(nullptr);
  };
  return {{"text", is_text ? ordered_json(kept) : ordered_json(nullptr)},
          {"base64", is_text ? ordered_json(nullptr) : ordered_json(base64_encode(kept))},
          {"encoding", is_text ? "utf-8" : "base64"},
          {"bytes_total", if_watched(count_json(stream.bytes_total))},
          {"bytes_kept", kept.size()},
          {"truncated", if_watched(stream.bytes_total > kept.size())},
          {"sha256", if_watched(text_json(stream.sha256))}};
}

ordered_json files_json(const Files& files) {
  ordered_json returned = ordered_json::array();
  for (const ReturnedFile& file : files.returned) {
    returned.push_back({{"name", text_json(file.name)},
                        {"bytes", count_json(file.bytes)},
                        {"sha256", text_json(file.sha256)}});
  }
  ordered_json omitted = ordered_json::array();
  for (const OmittedFile& file : files.omitted) {
    omitted.push_back({{"name", text_json(file.name)},
                       {"bytes", count_json(file.bytes)},
                       {"reason", text_json(file.reason)}});
  }
  return {{"trust", "untrusted"},
          {"status", name_of(files.status)},
          {"returned", returned},
          {"omitted", omitted},
          {"omitted_total", count_json(files.omitted_total)}};
}

ordered_json timing_json(const StageTimes& timing) {
  return {{"queue", millis_json(timing.queue)},     {"prepare", millis_json(timing.prepare)},
          {"seal", millis_json(timing.seal)},       {"start", millis_json(timing.start)},
          {"run", millis_json(timing.run)},         {"collect", millis_json(timing.collect)},
          {"cleanup", millis_json(timing.cleanup)}, {"total", millis_json(timing.total)}};
}

ordered_json denied_json(const std::optional<std::vector<DeniedAction>>& denied) {
  if (!denied) return nullptr;
  ordered_json list = ordered_json::array();
  for (const DeniedAction& one : *denied) {
    list.push_back({{"action", text_json(one.action)}, {"count", count_json(one.count)}});
  }
  return list;
}

}  // namespace

ordered_json count_json(std::optional<std::uint64_t> count) {
  return count && *count <= kMaxJsonInteger ? ordered_json(*count) : ordered_json(nullptr);
}

ordered_json text_json(std::string_view text) { return visible(text); }

ordered_json texts_json(const std::vector<std::string>& texts) {
  ordered_json list = ordered_json::array();
  for (const std::string& text : texts) list.push_back(text_json(text));
  return list;
}

ordered_json text_or_null_json(const std::optional<std::string>& text) {
  return text && !text->empty() ? text_json(*text) : ordered_json(nullptr);
}

ordered_json seconds_json(std::optional<Nanos> time) {
  return time ? ordered_json(rounded(seconds(*time), kMicro)) : ordered_json(nullptr);
}

ordered_json seal_json(const Seal& seal) {
  ordered_json checks = ordered_json::array();
  for (const SealCheck& check : seal.checks) {
    checks.push_back({{"name", text_json(check.name)},
                      {"expected", text_json(check.expected)},
                      {"observed", text_json(check.observed)},
                      {"ok", check.ok},
                      {"method", text_json(check.method)}});
  }
  return {{"verified", seal.verified}, {"before_start", seal.before_start}, {"checks", checks}};
}

void write_sections(ordered_json& object, const RunReport& report) {
  object["outcome"] = outcome_json(report.outcome);
  object["kernel"] = kernel_json(report.kernel);
  object["capture"] = {{"trust", "untrusted"},
                       {"stdout", stream_json(report.out)},
                       {"stderr", stream_json(report.err)}};
  object["files"] = files_json(report.files);
  object["timing"] = timing_json(report.timing);
  object["cleanup"] = {{"status", name_of(report.cleanup.status)},
                       {"detail", text_or_null_json(report.cleanup.detail)}};
  object["denied"] = denied_json(report.denied);
}

}  // namespace pybox::sections
