#pragma once
/// campaign.json as every report is made from it: what a campaign found, once read and checked
/// (docs/evidence.md). Texts are kept as they came and are hostile: probes wrote some of them. Each
/// renderer escapes them for its own format.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pybox::reports {

/// What a check amounts to. Only Held is green.
enum class Verdict { Held, Broken, Vacuous, NotApplicable, Unmet, Error, Flaky };
inline constexpr Verdict kVerdicts[] = {Verdict::Broken, Verdict::Error, Verdict::Vacuous,
                                        Verdict::Flaky,  Verdict::Unmet, Verdict::NotApplicable,
                                        Verdict::Held};  ///< worst first
/// "held", "not-applicable", …
std::string_view name_of(Verdict verdict);
std::optional<Verdict> verdict_from(std::string_view name);

/// One fact of the environment; nested objects come out as "cpu.model", lists joined by ", ".
using Facts = std::map<std::string, std::string>;

struct Link {
  std::string id;
  std::string manifest_sha256;
};

/// What boxd read back before the program started, in short.
struct SealSummary {
  bool verified = false;
  std::uint64_t checks = 0;          ///< how many protections were read back
  std::vector<std::string> differs;  ///< those that were not as in the protected arm
};

struct Sample {
  std::uint64_t at_us = 0;
  std::optional<std::uint64_t> memory_bytes, pids, cpu_us;
};

struct Limits {
  std::optional<std::uint64_t> memory_bytes, pids, cpu_us_per_s, wall_us;
};

struct Attempt {
  std::uint64_t attempt = 1;
  std::string observed;  ///< signature
  std::string why;
  std::string nonce;
  std::uint64_t duration_us = 0;
  std::optional<SealSummary> seal;              ///< none: no box was made
  std::optional<std::string> report, out, err;  ///< SHA-256 of blobs below raw/
  std::string line;                             ///< the probe's line as it came
  std::vector<Sample> series;
  Limits limits;
};

struct Arm {
  std::string name;  ///< "protected", "control", "only:NAME", "benign"
  std::vector<std::string> removed;
  std::vector<std::string> expected;
  std::string observed;
  std::vector<Attempt> attempts;  ///< in order; empty when the arm was never run
};

struct Check {
  std::string id, engine, area, group, claim;
  Verdict verdict = Verdict::Error;
  std::string why;
  std::vector<std::string> redundant;
  std::vector<Arm> arms;

  /// "net.loopback@native"
  std::string full_id() const { return id + "@" + engine; }
  /// nullptr when there is no such arm.
  const Arm* arm(std::string_view name) const;
};

struct Campaign {
  std::string id;
  std::optional<Link> previous;
  /// "held", or the worst of "broken", "error", "vacuous", "flaky", "unmet", "incomplete".
  std::string verdict;
  std::string started, ended;  ///< RFC 3339 in UTC
  bool complete = false;
  std::map<Verdict, std::uint64_t> counts;  ///< every verdict has an entry
  Facts environment;
  std::map<std::string, std::string> tools;  ///< name to SHA-256
  std::string plan_sha256, events_sha256;
  std::map<std::string, bool> protections;                 ///< name to: proven
  std::map<std::string, std::vector<std::string>> matrix;  ///< protection to check@engine
  std::vector<std::string> unmet_expected;                 ///< check@engine
  std::vector<Check> checks;

  std::uint64_t count(Verdict verdict) const;
  std::uint64_t proven() const;
};

/// Reads campaign.json. Strict: a key twice, missing or unknown, a wrong type, an unknown verdict,
/// a check or an arm twice, a digest that is none, are errors of kind Evidence that name the place.
/// `counts` must be those of the checks.
Result<Campaign> read_campaign(std::string_view json);

/// What earlier campaigns found, oldest first: DIR/history.json (reports/history.hpp).
struct PastRun {
  std::string id, ended, verdict, manifest_sha256;
  std::map<std::string, Verdict> checks;  ///< check@engine
};
Result<std::vector<PastRun>> read_history(std::string_view json);

}  // namespace pybox::reports
