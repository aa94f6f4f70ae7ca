#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "receipt/sections.hpp"

namespace pybox::sections {

using nlohmann::json;

namespace {

// Bounds on what a peer may send; each is far above what boxd sends.
constexpr std::size_t kMaxChecks = 256;
constexpr std::size_t kMaxTexts = 64;
constexpr std::size_t kMaxSamples = 128;
constexpr std::size_t kMaxDenied = 512;
Result<std::optional<Nanos>> read_seconds(JsonFields& fields, std::string_view key) {
  const auto value = PYBOX_TRY(fields.number_or_null(key, 0, kLongestSeconds));
  return value ? std::optional(from_seconds(*value)) : std::nullopt;
}

Result<std::optional<std::uint32_t>> read_small(JsonFields& fields, std::string_view key) {
  const auto value = PYBOX_TRY(fields.count_or_null(key, UINT32_MAX));
  return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

Result<SealCheck> read_check(JsonFields& fields) {
  SealCheck check;
  check.name = PYBOX_TRY(read_text(fields, "name"));
  check.expected = PYBOX_TRY(read_text(fields, "expected"));
  check.observed = PYBOX_TRY(read_text(fields, "observed"));
  check.ok = PYBOX_TRY(fields.flag("ok"));
  check.method = PYBOX_TRY(read_text(fields, "method"));
  return check;
}

/// A killed target shows 137 and 9, one that died of its own signal n shows 128+n and n, a lost or
/// never started one shows neither (docs/receipt.md, "outcome").
bool agrees_with_itself(const Outcome& outcome) {
  const auto code = outcome.exit_code;
  const auto signal = outcome.signal;
  switch (outcome.observation) {
    case Observation::TargetExit: return code && (!signal || *code == 128 + *signal);
    case Observation::OutOfMemoryKill:
    case Observation::SupervisorKill:
    case Observation::BoxTimerKill: return code == 137 && signal == 9;
    case Observation::CancelKill:  // may come before the target was started
      return (!code && !signal) || (code == 137 && signal == 9);
    case Observation::BoxLost:
    case Observation::NotStarted: return !code && !signal;
  }
  return false;
}

Result<std::optional<int>> read_int(JsonFields& fields, std::string_view key, std::uint64_t max) {
  const auto value = PYBOX_TRY(fields.count_or_null(key, max));
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

Result<Outcome> read_outcome(JsonFields fields) {
  Outcome outcome;
  outcome.observation = PYBOX_TRY(read_name(fields, "observation", observation_from));
  outcome.exit_code = PYBOX_TRY(read_int(fields, "exit_code", 255));
  outcome.signal = PYBOX_TRY(read_int(fields, "signal", 64));
  outcome.wall = PYBOX_TRY(read_seconds(fields, "wall_s"));
  outcome.deadline_fired = PYBOX_TRY(fields.flag_or_null("deadline_fired"));
  outcome.box_timer_fired = PYBOX_TRY(fields.flag_or_null("box_timer_fired"));
  outcome.stop_requests = PYBOX_TRY(read_small(fields, "stop_requests"));
  outcome.out_of_memory = PYBOX_TRY(fields.flag_or_null("out_of_memory"));
  const std::string cause = PYBOX_TRY(fields.text("cause"));
  if (cause != "established" && cause != "not established") {
    return wrong_shape("`outcome.cause` is `" + visible(cause) + "`");
  }
  outcome.cause_established = cause == "established";
  outcome.evidence = PYBOX_TRY(read_texts(fields, "evidence", kMaxTexts));
  outcome.leftovers_killed = PYBOX_TRY(read_small(fields, "leftovers_killed"));
  PYBOX_TRY(fields.finish());
  if (!agrees_with_itself(outcome)) {
    return wrong_shape("`outcome.exit_code` and `outcome.signal` do not match " +
                       std::string(name_of(outcome.observation)));
  }
  return outcome;
}

/// A sample is a list, [t_s, memory_bytes, pids, cpu_s]; read as an object with numbered keys so
/// that the same checks serve.
Result<Sample> read_sample(const json& value, const std::string& place) {
  if (!value.is_array() || value.size() != 4) {
    return wrong_shape("`" + place + "` must be a list of 4 numbers");
  }
  const json keyed = {{"0", value[0]}, {"1", value[1]}, {"2", value[2]}, {"3", value[3]}};
  JsonFields fields = PYBOX_TRY(JsonFields::of(keyed, place));
  Sample sample;
  sample.at = from_seconds(PYBOX_TRY(fields.number("0", 0, kLongestSeconds)));
  sample.memory_bytes = PYBOX_TRY(fields.count_or_null("1"));
  sample.pids = PYBOX_TRY(fields.count_or_null("2"));
  sample.cpu_s = PYBOX_TRY(fields.number_or_null("3", 0, kLongestSeconds * 1e3));
  return sample;
}

Result<KernelReadings> read_kernel(JsonFields fields) {
  KernelReadings kernel;
  kernel.source = PYBOX_TRY(read_text_or_null(fields, "source")).value_or("");
  const std::uint64_t samples = PYBOX_TRY(fields.count("samples"));
  kernel.lost_samples = PYBOX_TRY(read_small(fields, "lost_samples"));
  kernel.memory_peak_bytes = PYBOX_TRY(fields.count_or_null("memory_peak_bytes"));
  kernel.memory_peak_final = PYBOX_TRY(fields.flag("memory_peak_final"));
  kernel.oom_kills = PYBOX_TRY(fields.count_or_null("oom_kills"));
  kernel.pids_peak = PYBOX_TRY(fields.count_or_null("pids_peak"));
  kernel.pids_refusals = PYBOX_TRY(fields.count_or_null("pids_refusals"));
  kernel.cpu_usage_s = PYBOX_TRY(fields.number_or_null("cpu_usage_s", 0, kLongestSeconds * 1e3));
  kernel.cpu_throttled_s =
      PYBOX_TRY(fields.number_or_null("cpu_throttled_s", 0, kLongestSeconds * 1e3));
  for (const json* value : PYBOX_TRY(fields.list("series", kMaxSamples))) {
    kernel.series.push_back(
        PYBOX_TRY(read_sample(*value, item_place(fields, "series", kernel.series.size()))));
  }
  if (samples != kernel.series.size()) {
    return wrong_shape("`kernel.samples` is not the length of `kernel.series`");
  }
  PYBOX_TRY(fields.finish());
  return kernel;
}

Result<StageTimes> read_timing(JsonFields fields) {
  StageTimes timing;
  const auto stage = [&](std::string_view key) -> Result<std::optional<Nanos>> {
    const auto ms = PYBOX_TRY(fields.number_or_null(key, 0, kLongestSeconds * 1e3));
    return ms ? std::optional(from_seconds(*ms / 1e3)) : std::nullopt;
  };
  timing.queue = PYBOX_TRY(stage("queue"));
  timing.prepare = PYBOX_TRY(stage("prepare"));
  timing.seal = PYBOX_TRY(stage("seal"));
  timing.start = PYBOX_TRY(stage("start"));
  timing.run = PYBOX_TRY(stage("run"));
  timing.collect = PYBOX_TRY(stage("collect"));
  timing.cleanup = PYBOX_TRY(stage("cleanup"));
  timing.total = PYBOX_TRY(stage("total"));
  PYBOX_TRY(fields.finish());
  return timing;
}

Result<Cleanup> read_cleanup(JsonFields fields) {
  Cleanup cleanup;
  cleanup.status = PYBOX_TRY(read_name(fields, "status", cleanup_status_from));
  cleanup.detail = PYBOX_TRY(read_text_or_null(fields, "detail")).value_or("");
  PYBOX_TRY(fields.finish());
  return cleanup;
}

Result<DeniedAction> read_action(JsonFields& fields) {
  DeniedAction action;
  action.action = PYBOX_TRY(read_text(fields, "action"));
  action.count = PYBOX_TRY(fields.count("count"));
  return action;
}

}  // namespace

Result<Seal> read_seal(JsonFields fields) {
  Seal seal;
  seal.verified = PYBOX_TRY(fields.flag("verified"));
  seal.before_start = PYBOX_TRY(fields.flag("before_start"));
  seal.checks = PYBOX_TRY(read_objects<SealCheck>(fields, "checks", kMaxChecks, read_check));
  const bool all_ok = std::all_of(seal.checks.begin(), seal.checks.end(),
                                  [](const SealCheck& check) { return check.ok; });
  if (seal.verified && (!all_ok || seal.checks.empty())) {
    return wrong_shape("`seal.verified` is true, its checks say otherwise");
  }
  PYBOX_TRY(fields.finish());
  return seal;
}

std::string item_place(const JsonFields& fields, std::string_view key, std::size_t index) {
  return fields.place(key) + "[" + std::to_string(index) + "]";
}

Error wrong_shape(std::string what) { return {ErrorKind::Protocol, std::move(what)}; }

Result<std::string> read_text(JsonFields& fields, std::string_view key) {
  return visible(PYBOX_TRY(fields.text(key)));
}

Result<std::optional<std::string>> read_text_or_null(JsonFields& fields, std::string_view key) {
  const auto text = PYBOX_TRY(fields.text_or_null(key));
  return text ? std::optional(visible(*text)) : std::nullopt;
}

Result<std::vector<std::string>> read_texts(JsonFields& fields, std::string_view key,
                                            std::size_t max_items) {
  std::vector<std::string> texts;
  for (const json* value : PYBOX_TRY(fields.list(key, max_items))) {
    const std::string place = item_place(fields, key, texts.size());
    const auto* text = value->get_ptr<const std::string*>();
    if (text == nullptr || text->size() > 4096) {
      return wrong_shape("`" + place + "` must be text of at most 4096 bytes");
    }
    texts.push_back(visible(*text));
  }
  return texts;
}

Result<std::string> read_digest(JsonFields& fields, std::string_view key) {
  std::string digest = PYBOX_TRY(fields.text(key, 64));
  const bool is_hex = digest.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (digest.size() != 64 || !is_hex) {
    return wrong_shape("`" + fields.place(key) + "` must be 64 hex digits");
  }
  return digest;
}

Result<void> read_sections(JsonFields& fields, RunReport& report) {
  report.outcome = PYBOX_TRY(read_section(fields, "outcome", read_outcome));
  report.kernel = PYBOX_TRY(read_section(fields, "kernel", read_kernel));
  JsonFields capture = PYBOX_TRY(fields.object("capture"));
  PYBOX_TRY(read_capture(std::move(capture), report));
  report.files = PYBOX_TRY(read_section(fields, "files", read_files));
  report.timing = PYBOX_TRY(read_section(fields, "timing", read_timing));
  report.cleanup = PYBOX_TRY(read_section(fields, "cleanup", read_cleanup));
  if (fields.has("denied")) {
    report.denied =
        PYBOX_TRY(read_objects<DeniedAction>(fields, "denied", kMaxDenied, read_action));
  } else {
    // Null says that nobody watched; absent is a fault like any other missing key.
    PYBOX_TRY(fields.text_or_null("denied"));
  }
  return {};
}

}  // namespace pybox::sections
