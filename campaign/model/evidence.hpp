#pragma once
/// What a campaign amounts to: campaign.json in memory. Made by oracle/judge.hpp from plan, events
/// and blobs; reports are made from it and from nothing else.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "campaign/model/check.hpp"
#include "campaign/model/verdict.hpp"

namespace pybox::campaign {

/// How an attempt's seal compares with that of the protected arm.
struct SealFacts {
  bool verified = false;     ///< boxd's own word: every protection read back as it should be
  std::uint32_t checks = 0;  ///< how many were read back
  std::vector<std::string> differs;  ///< protections read back otherwise than in the protected arm
  friend bool operator==(const SealFacts&, const SealFacts&) = default;
};

struct SeriesPoint {
  Nanos at{};
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> pids;
  std::optional<Nanos> cpu;
  friend bool operator==(const SeriesPoint&, const SeriesPoint&) = default;
};

struct SeriesLimits {
  std::uint64_t memory_bytes = 0;
  std::uint64_t pids = 0;
  Nanos cpu_per_s{};
  Nanos wall{};
  friend bool operator==(const SeriesLimits&, const SeriesLimits&) = default;
};

struct AttemptResult {
  std::uint32_t attempt = 1;
  Signature observed;
  std::string why;
  std::string nonce;
  Nanos duration{};
  std::optional<SealFacts> seal;      ///< none where no box reported one
  std::optional<std::string> report;  ///< blobs, by SHA-256
  std::optional<std::string> out, err;
  std::string line;                    ///< at most kLineKept bytes
  std::vector<SeriesPoint> series;     ///< of resource checks; else empty
  std::optional<SeriesLimits> limits;  ///< beside a series
  friend bool operator==(const AttemptResult&, const AttemptResult&) = default;
};
constexpr std::size_t kLineKept = 4096;

struct ArmResult {
  ArmName arm;
  std::vector<std::string> removed;
  std::vector<Signature> expected;  ///< empty: anything but `reached`
  Signature observed;               ///< of the attempt that decided
  std::vector<AttemptResult> attempts;
  friend bool operator==(const ArmResult&, const ArmResult&) = default;
};

struct CheckResult {
  std::string id;
  EngineKind engine = EngineKind::Vm;
  std::string area, group, claim;
  Verdict verdict = Verdict::Error;
  std::string why;  ///< what led to the verdict, in words
  /// Members of the cut set whose `only:` arm let the attack through: not proven by this check.
  std::vector<std::string> redundant;
  std::vector<ArmResult> arms;
  /// nullptr when there is no such arm.
  const ArmResult* arm(std::string_view name) const;
  friend bool operator==(const CheckResult&, const CheckResult&) = default;
};
std::string full_id(const CheckResult& check);

struct PreviousRun {
  std::string id;
  std::string manifest_sha256;
  friend bool operator==(const PreviousRun&, const PreviousRun&) = default;
};

struct Evidence {
  std::string id;
  std::optional<PreviousRun> previous;
  /// "held", or the worst of "broken", "error", "vacuous", "flaky", "unmet", "incomplete".
  std::string verdict;
  std::string started, ended;  ///< RFC 3339 UTC; `ended` empty when it never did
  bool complete = false;
  std::map<Verdict, std::uint32_t> counts;  ///< every verdict has an entry
  std::map<std::string, std::string> environment;
  std::map<std::string, std::string> tools;  ///< name to SHA-256
  std::string plan_sha256, events_sha256;
  std::map<std::string, bool> protections;                 ///< every name; true: proven
  std::map<std::string, std::vector<std::string>> matrix;  ///< full ids of the checks that prove it
  std::vector<std::string> unmet_expected;                 ///< full ids
  std::vector<CheckResult> checks;                         ///< sorted by area, id, engine

  std::uint32_t count(Verdict of) const;
  std::size_t proven() const;  ///< how many protections
  friend bool operator==(const Evidence&, const Evidence&) = default;
};

/// campaign.json: RFC 8785 bytes, a newline at the end. Text that would drive a terminal or is no
/// UTF-8 is escaped.
Result<std::string> evidence_to_json(const Evidence& evidence);
/// The reverse. Texts stay as they came and are hostile. Strict: a key twice, missing or unknown, a
/// wrong type, an unknown verdict, a check or an arm twice, an invalid digest and counts that are
/// not those of the checks are errors of kind Evidence that name the place.
Result<Evidence> evidence_from_json(std::string_view json);

}  // namespace pybox::campaign
