#pragma once
/// bench.json: what runs cost, as every report about speed is made from it (docs/benchmarks.md).
/// All figures are of values that were measured (nearest rank), none lies between two.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "reports/read/campaign.hpp"

namespace pybox::reports {

/// How long one kind of run took. A percentile that is only the largest value is none: p95 needs 20
/// runs, p99 needs 100.
struct Spread {
  Nanos min{}, p50{}, max{};
  std::optional<Nanos> p95, p99;
};

/// Values whose median is meant, with an interval that holds the true median with at least 95 %:
/// two of the values, by rank. It needs 6 values.
template <class Value>
struct MiddleOf {
  Value p50{};
  std::optional<Value> low, high;
};

/// Sealed minus bare of the same pair.
struct Added {
  MiddleOf<Nanos> median;
  Nanos p25{}, p75{};
};

struct BenchCase {
  std::string name;  ///< "native.stdlib.empty"
  std::string engine, image, image_id, program;
  std::string accelerator;  ///< "kvm" or "tcg"; empty on the native engine
  std::string kernel;       ///< of the box
  std::string cgroup;       ///< "v1" or "v2": of the box
  std::uint64_t seal_checks = 0;
  std::uint64_t cpu_millicores = 0;  ///< the box's limit
  std::string load_before, load_after;
  std::uint64_t pairs = 0;  ///< without those of the warm-up
  Spread bare, sealed;
  Added added;
  MiddleOf<std::uint64_t> ratio;        ///< sealed / bare of the same pair, in thousandths
  std::uint64_t held_back_runs = 0;     ///< in how many the limit of CPU made the program wait
  std::map<std::string, Nanos> stages;  ///< medians of the receipts' stages, by name
};

struct Bench {
  std::string id;
  std::string started, ended;  ///< RFC 3339 in UTC
  bool complete = false;
  std::string failure;  ///< why it ended early: a run that failed; empty otherwise
  Facts environment;
  std::map<std::string, std::string> tools;  ///< name to SHA-256
  std::string plan_sha256, events_sha256;
  std::uint64_t runs = 0;     ///< pairs wanted of each case
  std::uint64_t warm_up = 0;  ///< pairs before them that do not count
  std::uint64_t think_ms = 0;
  std::vector<BenchCase> cases;  ///< those with at least one pair
};

/// RFC 8785 bytes and a newline.
Result<std::string> bench_to_json(const Bench& bench);
/// The reverse; strict as read_campaign().
Result<Bench> read_bench(std::string_view json);

/// The pairs of each case that count, in order, from events.jsonl. It must hold: whoever is not
/// sure verifies first.
struct CaseSeries {
  std::vector<std::int64_t> bare, sealed;  ///< nanoseconds
};
using BenchSeries = std::map<std::string, CaseSeries>;
Result<BenchSeries> read_bench_series(std::string_view events);

/// Whether a folder is the evidence of `campaign bench` (and not of a campaign), by the names in
/// it.
bool is_bench_folder(const std::filesystem::path& dir);

}  // namespace pybox::reports
