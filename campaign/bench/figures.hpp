#pragma once
/// From the recorded pairs to bench.json.

#include <filesystem>
#include <string_view>

#include "base/result.hpp"
#include "receipt/signature.hpp"
#include "reports/read/bench.hpp"

namespace pybox::campaign {

/// Pure: the same texts, the same figures. A case counts once it has ended with at least one pair
/// behind its warm-up. Error kind Evidence: the events do not hold, or speak of a case that was not
/// planned.
Result<reports::Bench> figures_of(std::string_view plan, std::string_view events);

/// Reads the folder's plan.json and events.jsonl, writes bench.json and everything that is made of
/// it (reports/write_bench.hpp).
Result<reports::Bench> write_bench_evidence(const std::filesystem::path& folder,
                                            const SigningKey& key);

}  // namespace pybox::campaign
