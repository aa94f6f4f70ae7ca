#include "campaign/oracle/arm_results.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "campaign/oracle/oracle.hpp"
#include "campaign/oracle/probe.hpp"
#include "campaign/oracle/seal_diff.hpp"
#include "campaign/oracle/verdicts.hpp"
#include "request/limits.hpp"

namespace pybox::campaign {
namespace {

constexpr std::string_view kResources = "resources";
/// Of a reason: more is in the blobs.
constexpr std::size_t kWhyKept = 1024;

Reading read_record(const Check& check, const Record& record) {
  if (!record.trouble.empty()) return {kTrouble, record.trouble, {}};
  // The benign arm runs another program: what it says is all there is.
  if (record.arm == kBenign) return read_probe(check, record);
  const Oracle* oracle = find_oracle(check.oracle);
  if (oracle == nullptr)
    return {kTrouble, "there is no oracle `" + visible(check.oracle) + "`", {}};
  return oracle->read(check, record);
}

std::optional<SealFacts> seal_facts(const Record& record, const Seal* reference) {
  if (!record.report || record.report->seal.checks.empty()) return std::nullopt;
  const Seal& seal = record.report->seal;
  return SealFacts{
      .verified = seal.verified,
      .checks = static_cast<std::uint32_t>(seal.checks.size()),
      .differs = reference != nullptr ? seal_differences(*reference, seal) : not_holding(seal)};
}

void add_series(AttemptResult& attempt, const Check& check, const RunReport& report) {
  const Limits limits = limits_for_image(check.image);
  attempt.limits = SeriesLimits{.memory_bytes = limits.memory.count,
                                .pids = limits.pids,
                                .cpu_per_s = Millis(limits.cpu.count),
                                .wall = check.timeout};
  Nanos before{};
  for (const Sample& sample : report.kernel.series) {
    if (sample.at < before) continue;
    before = sample.at;
    SeriesPoint point{sample.at, sample.memory_bytes, sample.pids, {}};
    if (sample.cpu_s) point.cpu = from_seconds(*sample.cpu_s);
    attempt.series.push_back(point);
  }
}

AttemptResult attempt_result(const Check& check, const Attempted& made, const Seal* reference) {
  Reading reading = read_record(check, made.record);
  AttemptResult attempt;
  attempt.attempt = made.record.attempt;
  attempt.observed = std::move(reading.signature);
  attempt.why = cut_at_character(std::string_view(reading.why).substr(0, kWhyKept));
  attempt.nonce = made.record.nonce;
  attempt.duration = made.record.duration;
  attempt.seal = seal_facts(made.record, reference);
  attempt.report = made.report;
  attempt.out = made.out;
  attempt.err = made.err;
  attempt.line = cut_at_character(std::string_view(reading.line).substr(0, kLineKept));
  if (check.area == kResources && made.record.report)
    add_series(attempt, check, *made.record.report);
  return attempt;
}

/// The seal that the others are held against: that of the first protected attempt with one.
const Seal* reference_seal(const std::map<ArmName, std::vector<Attempted>>& attempts) {
  const auto found = attempts.find(kProtected);
  if (found == attempts.end()) return nullptr;
  for (const Attempted& made : found->second) {
    if (made.record.report && !made.record.report->seal.checks.empty())
      return &made.record.report->seal;
  }
  return nullptr;
}

/// What decides: a breakthrough of a protected arm before all else, then the first answer that does
/// not fit, then the first.
Signature deciding(const ArmResult& arm) {
  const Signature* misfit = nullptr;
  for (const AttemptResult& attempt : arm.attempts) {
    if (arm.arm == kProtected && attempt.observed == kReached) return kReached;
    if (misfit == nullptr && !fits_arm(arm, attempt.observed)) misfit = &attempt.observed;
  }
  if (misfit != nullptr) return *misfit;
  return arm.attempts.empty() ? Signature() : arm.attempts.front().observed;
}

}  // namespace

bool fits_arm(const ArmResult& arm, const Signature& signature) {
  if (!arm.expected.empty())
    return std::find(arm.expected.begin(), arm.expected.end(), signature) != arm.expected.end();
  return signature != kReached && signature != kTrouble && signature != kSilent &&
         signature != kForged && signature != kUnproven && signature != kMalformed;
}

Signature signature_of(const Check& check, const Record& record) {
  return read_record(check, record).signature;
}

std::vector<ArmResult> arm_results(const PlannedCheck& planned,
                                   const std::map<ArmName, std::vector<Attempted>>& attempts) {
  const Seal* reference = reference_seal(attempts);
  std::vector<ArmResult> results;
  for (const Arm& arm : planned.arms) {
    ArmResult result{arm.name, arm.removed, expected_of(planned.check, arm.name), {}, {}};
    const auto made = attempts.find(arm.name);
    if (made != attempts.end()) {
      for (const Attempted& each : made->second)
        result.attempts.push_back(attempt_result(planned.check, each, reference));
    }
    result.observed = deciding(result);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace pybox::campaign
