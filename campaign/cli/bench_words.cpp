#include "campaign/cli/bench_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "campaign/bench/workload.hpp"

namespace pybox::campaign {
namespace {

constexpr std::uint64_t kMostRuns = 10000;
constexpr std::uint64_t kMostWarmUp = 1000;
constexpr std::uint64_t kLongestThink = 60000;

Error usage(std::string what) { return {ErrorKind::Usage, std::move(what)}; }

Result<std::uint64_t> number_from(std::string_view option, std::string_view word,
                                  std::uint64_t least, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (failed != std::errc() || end != word.data() + word.size() || number < least || number > most)
    return usage("`" + std::string(option) + "` must be a number from " + std::to_string(least) +
                 " to " + std::to_string(most) + ", not `" + visible(word) + "`");
  return number;
}

Result<std::uint64_t> number_of(const cli::Words& words, std::string_view option,
                                std::uint64_t least, std::uint64_t most, std::uint64_t otherwise) {
  const auto word = words.value(option);
  if (!word) return otherwise;
  return number_from(option, *word, least, most);
}

Result<std::vector<EngineKind>> engines_from(const cli::Words& words) {
  const auto word = words.value("--engine");
  if (!word) return std::vector{EngineKind::Native, EngineKind::Vm};
  constexpr std::array<std::string_view, 2> kEngines = {"vm", "native"};
  const auto engine = engine_from(*word);
  if (engine && (*engine == EngineKind::Vm || *engine == EngineKind::Native))
    return std::vector{*engine};
  Error error = usage("`campaign bench` does not know the engine `" + visible(*word) + "`");
  const std::string_view meant = nearest(*word, kEngines);
  return std::move(error).hint(meant.empty() ? "engines are `vm` and `native`"
                                             : "did you mean `" + std::string(meant) + "`?");
}

/// The images that have programs to time, in the order of the workloads.
std::vector<std::string_view> timed_images() {
  std::vector<std::string_view> images;
  for (const Workload& each : workloads()) {
    if (std::find(images.begin(), images.end(), each.image) == images.end())
      images.push_back(each.image);
  }
  return images;
}

Result<std::vector<std::string>> images_from(const cli::Words& words) {
  const std::vector<std::string_view> known = timed_images();
  const auto word = words.value("--images");
  if (!word) return std::vector<std::string>(known.begin(), known.end());
  std::vector<std::string> images;
  std::string_view rest = *word;
  do {
    const std::string_view image = take_until(rest, ',');
    if (std::find(known.begin(), known.end(), image) == known.end()) {
      Error error = usage("`--images`: there is no program to time for `" + visible(image) + "`");
      const std::string_view meant = nearest(image, known);
      return std::move(error).hint(meant.empty() ? "images are `stdlib` and `data`"
                                                 : "did you mean `" + std::string(meant) + "`?");
    }
    if (std::find(images.begin(), images.end(), image) == images.end()) images.emplace_back(image);
  } while (!rest.empty());
  return images;
}

}  // namespace

Result<BenchWords> bench_words(const cli::Words& words) {
  BenchWords read;
  read.engines = PYBOX_TRY(engines_from(words));
  read.engine_was_named = words.has("--engine");
  read.images = PYBOX_TRY(images_from(words));
  read.images_were_named = words.has("--images");
  const auto small = [](std::uint64_t number) { return static_cast<std::uint32_t>(number); };
  read.runs = small(PYBOX_TRY(number_of(words, "--runs", 1, kMostRuns, read.runs)));
  read.warm_up = small(PYBOX_TRY(number_of(words, "--warm-up", 0, kMostWarmUp, read.warm_up)));
  read.think = Millis(
      static_cast<std::int64_t>(PYBOX_TRY(number_of(words, "--think", 0, kLongestThink, 0))));
  if (const auto word = words.value("--seed"))
    read.seed = PYBOX_TRY(number_from("--seed", *word, 0, kMaxJsonInteger));
  read.out = words.value("--out");
  read.sign = words.value("--sign");
  read.json = words.has("--json");
  return read;
}

}  // namespace pybox::campaign
