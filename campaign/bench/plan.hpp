#pragma once
/// plan.json of `campaign bench`: what will be timed and how, written and signed before the first
/// run.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "receipt/receipt.hpp"

namespace pybox::campaign {

/// One program in one image on one engine.
struct BenchCasePlan {
  std::string name;  ///< "native.stdlib.empty"
  EngineKind engine = EngineKind::Native;
  std::string image;
  std::string image_id;
  std::string program;
  std::string text;
  std::string output;
};

struct BenchPlan {
  std::string id;
  std::string created;        ///< RFC 3339 UTC
  std::uint32_t runs = 0;     ///< pairs of each case that count
  std::uint32_t warm_up = 0;  ///< pairs before them that do not
  Millis think{};             ///< idle time before every run
  std::uint64_t seed = 0;     ///< of the order within each pair; below 2^53
  std::vector<BenchCasePlan> cases;
};

/// RFC 8785 bytes, a newline at the end.
Result<std::string> bench_plan_to_json(const BenchPlan& plan);
/// The reverse; strict, error kind Evidence.
Result<BenchPlan> bench_plan_from_json(std::string_view json);

/// Who goes first in a pair.
enum class First { Bare, Sealed };
/// Of every pair, from 0, of a case: the high bit of splitmix64, counted on from the seed and the
/// case's place. Recorded with each pair too.
First first_of(const BenchPlan& plan, std::size_t case_index, std::uint32_t pair_index);

}  // namespace pybox::campaign
