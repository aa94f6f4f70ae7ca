#include "campaign/cli/run_words.hpp"

#include <charconv>
#include <filesystem>

#include "base/text.hpp"
#include "campaign/cli/choose_checks.hpp"
#include "campaign/run/planner.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

constexpr std::uint32_t kMostPasses = 100;

Error usage(std::string what) { return {ErrorKind::Usage, std::move(what)}; }

Result<std::uint32_t> passes_from(std::string_view word) {
  std::uint32_t passes = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), passes);
  if (failed != std::errc() || end != word.data() + word.size() || passes == 0 ||
      passes > kMostPasses)
    return usage("`--passes` must be a number from 1 to 100, not `" + visible(word) + "`");
  return passes;
}

Result<void> check_choice(const cli::Words& words) {
  const bool all = words.has("--all");
  const bool named = words.has("--area") || !words.positionals.empty();
  if (words.has("--resume") && (all || named))
    return usage("`--resume` continues a plan; it takes no checks");
  if (all && named) return usage("`--all` cannot be combined with a choice of checks");
  if (!all && !named && !words.has("--resume"))
    return usage("`campaign run` needs `--all`, `--area A` or the name of a check")
        .hint("`campaign list` shows what there is");
  return {};
}

}  // namespace

Result<RunWords> run_words(const cli::Words& words, const CheckSources& sources) {
  PYBOX_TRY(check_choice(words));
  RunWords read;
  read.resume = words.has("--resume");
  read.out = words.value("--out");
  read.sign = words.value("--sign");
  read.previous = words.value("--previous");
  if (const auto arm = words.value("--arm")) read.arm = std::string(*arm);
  if (const auto passes = words.value("--passes")) read.passes = PYBOX_TRY(passes_from(*passes));
  if (const auto file = words.value("--expect")) {
    auto text = sys::read_file(std::filesystem::path(*file), 1_MiB);
    if (!text) return std::move(text).error().as(ErrorKind::Usage).context("`--expect`");
    read.expected_unmet = expected_from(text.value());
  } else {
    read.expected_unmet = expected_from(embedded_expected_unmet());
  }
  if (read.resume) return read;
  read.checks = PYBOX_TRY(choose_checks(sources, words));
  if (read.checks.empty())
    return usage("no check matches").hint("`campaign list` shows what there is");
  return read;
}

}  // namespace pybox::campaign
