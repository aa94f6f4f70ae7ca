#include "campaign/cli/choose_checks.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "campaign/model/check_table.hpp"
#include "campaign/oracle/oracle.hpp"

namespace pybox::campaign {
namespace {

constexpr std::array<std::string_view, 11> kAreas = {
    "restrictions", "resources", "lifecycle", "receipts", "files", "images",
    "mcp",          "clients",   "vm",        "speed",    "repair"};

Error unknown(std::string_view what, std::string_view word,
              std::span<const std::string_view> candidates, std::string_view otherwise) {
  Error error(ErrorKind::Usage, "unknown " + std::string(what) + " `" + visible(word) + "`");
  const std::string_view meant = nearest(word, candidates);
  return std::move(error).hint(meant.empty() ? std::string(otherwise)
                                             : "did you mean `" + std::string(meant) + "`?");
}

bool is_named(const Check& check, const std::string& word) {
  return word == check.id || word == full_id(check);
}

Result<void> keep_named(std::vector<Check>& checks, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  for (const std::string& word : words) {
    if (std::any_of(checks.begin(), checks.end(),
                    [&](const Check& check) { return is_named(check, word); })) {
      continue;
    }
    std::vector<std::string_view> ids;
    for (const Check& check : checks) ids.push_back(check.id);
    return unknown("check", word, ids, "`campaign list` shows what there is");
  }
  std::erase_if(checks, [&](const Check& check) {
    return std::none_of(words.begin(), words.end(),
                        [&](const std::string& word) { return is_named(check, word); });
  });
  return {};
}

}  // namespace

std::span<const std::string_view> known_areas() { return kAreas; }

Result<CheckSources> sources_from(const cli::Words& words) {
  const auto folder = words.value("--checks");
  if (!folder) return embedded_sources();
  return read_sources(std::filesystem::path(*folder));
}

Result<std::vector<Check>> choose_checks(const CheckSources& sources, const cli::Words& words) {
  std::vector<Check> checks = PYBOX_TRY(
      read_checks(sources, [](std::string_view name) { return find_oracle(name) != nullptr; }));
  if (const auto area = words.value("--area")) {
    const bool has = std::any_of(checks.begin(), checks.end(),
                                 [&](const Check& check) { return check.area == *area; });
    if (!has && std::find(kAreas.begin(), kAreas.end(), *area) == kAreas.end())
      return unknown("area", *area, kAreas, "`campaign list` shows what there is");
    std::erase_if(checks, [&](const Check& check) { return check.area != *area; });
  }
  if (const auto word = words.value("--engine")) {
    const auto engine = engine_from(*word);
    if (!engine || *engine == EngineKind::Unsealed)
      return unknown("engine", *word, std::array<std::string_view, 3>{"vm", "native", "docker"},
                     "engines are `vm`, `native` and `docker`");
    std::erase_if(checks, [&](const Check& check) { return check.engine != *engine; });
  }
  PYBOX_TRY(keep_named(checks, words.positionals));
  return checks;
}

}  // namespace pybox::campaign
