#pragma once
/// The words of `campaign bench`, checked.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "cli/words/command.hpp"
#include "request/request.hpp"

namespace pybox::campaign {

struct BenchWords {
  std::vector<EngineKind> engines;  ///< native before vm
  bool engine_was_named = false;
  std::vector<std::string> images;
  bool images_were_named = false;
  std::uint32_t runs = 100;
  std::uint32_t warm_up = 3;
  Millis think{};
  std::optional<std::uint64_t> seed;
  std::optional<std::string_view> out, sign;
  bool json = false;
};

/// Error kind Usage, naming what is meant.
Result<BenchWords> bench_words(const cli::Words& words);

}  // namespace pybox::campaign
