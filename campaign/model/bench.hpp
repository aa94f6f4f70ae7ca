#pragma once
/// bench.json: what runs cost, as every report about speed is made from it (docs/benchmarks.md).
/// All figures are of values that were measured (nearest rank), none lies between two.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"

namespace pybox::campaign {

/// What every sealed run of a case had in common.
struct BoxFacts {
  std::string accelerator;  ///< "kvm" or "tcg"; empty on the native engine
  std::string kernel;
  std::string cgroup;  ///< "v1" or "v2"
  std::uint64_t seal_checks = 0;
  std::uint64_t cpu_millicores = 0;  ///< its limit

  friend bool operator==(const BoxFacts&, const BoxFacts&) = default;
};

/// How long one kind of run took. A percentile that is only the largest value is none: p95 needs 20
/// runs, p99 needs 100.
struct Spread {
  Nanos p50{};
  std::optional<Nanos> p95, p99;
};

/// Values whose median is meant, with an interval that holds the true median with at least 95 %:
/// two of the values, by rank. It needs 6 values.
struct Middle {
  std::int64_t p50 = 0;
  std::optional<std::int64_t> low, high;
};

struct BenchCase {
  std::string name;  ///< "native.stdlib.empty"
  std::string engine, image, image_id, program;
  BoxFacts box;
  std::string load_before, load_after;
  std::uint64_t pairs = 0;  ///< without those of the warm-up
  Spread bare, sealed;
  Middle added;  ///< sealed minus bare of the same pair, in nanoseconds
  Middle ratio;  ///< sealed / bare of the same pair, in thousandths
};

struct Bench {
  std::string id;
  std::string started, ended;  ///< RFC 3339 in UTC
  bool complete = false;
  std::string failure;  ///< why it ended early: a run that failed; empty otherwise
  std::map<std::string, std::string> environment;
  std::map<std::string, std::string> tools;  ///< name to SHA-256
  std::string plan_sha256, events_sha256;
  std::uint64_t runs = 0;     ///< pairs wanted of each case
  std::uint64_t warm_up = 0;  ///< pairs before them that do not count
  std::uint64_t think_ms = 0;
  std::vector<BenchCase> cases;  ///< those with at least one pair
};

/// RFC 8785 bytes and a newline.
Result<std::string> bench_to_json(const Bench& bench);

}  // namespace pybox::campaign
