#include "campaign/bench/plan.hpp"

namespace pybox::campaign {
namespace {

/// Sebastiano Vigna's splitmix64 (public domain): the n-th number from a seed without those before
/// it.
std::uint64_t splitmix64(std::uint64_t seed, std::uint64_t n) {
  std::uint64_t z = seed + (n + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

First first_of(const BenchPlan& plan, std::size_t case_index, std::uint32_t pair_index) {
  const std::uint64_t number = splitmix64(plan.seed, (case_index << 32U) + pair_index);
  return number >> 63U == 0 ? First::Bare : First::Sealed;
}

}  // namespace pybox::campaign
