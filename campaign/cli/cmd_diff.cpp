#include <array>
#include <filesystem>

#include "campaign/cli/commands.hpp"
#include "reports/html/diff_page.hpp"
#include "reports/render/diff_text.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

/// Far above any campaign: some hundred bytes an attempt.
constexpr Bytes kLargest = 64_MiB;

constexpr std::array kPositionals = {cli::Positional{"DIR_A", "evidence of the earlier campaign"},
                                     cli::Positional{"DIR_B", "evidence of the later one"}};

constexpr std::array kOptions = {
    cli::Option{"--html", "FILE", "also write the comparison as one self-contained page"}};

constexpr std::string_view kDetails =
    R"(Compares the environment and the tools, what each arm of each check showed, and
which protections are proven. Worse means: a verdict sank, a held check is gone, a
new one is red, a protection lost its proof. Neither folder is verified: see
`campaign verify`.

Exit code 0: nothing got worse. 1: something did.)";

Result<Evidence> campaign_in(const std::string& folder) {
  const std::filesystem::path file = std::filesystem::path(folder) / "campaign.json";
  auto text = sys::read_file(file, kLargest);
  if (!text) {
    return std::move(text)
        .error()
        .as(ErrorKind::Usage)
        .hint("an evidence folder is what `campaign run` wrote");
  }
  return PYBOX_TRY_CONTEXT(evidence_from_json(*text), file.string());
}

Result<int> run(const cli::Words& words, const cli::Surroundings&) {
  const Evidence before = PYBOX_TRY(campaign_in(words.positionals[0]));
  const Evidence after = PYBOX_TRY(campaign_in(words.positionals[1]));
  const reports::Diff diff = reports::diff_campaigns(before, after);
  if (const auto file = words.value("--html")) {
    // A page for others to read; unsynced, for it can be made again.
    PYBOX_TRY(sys::replace_file(std::string(*file), reports::diff_html(before, after, diff), 0644,
                                sys::Durability::Unsynced));
  }
  PYBOX_TRY(cli::print(reports::diff_text(before, after, diff)));
  return diff.worse == 0 ? 0 : kNotGreen;
}

}  // namespace

const cli::Command kDiff{
    .name = "diff",
    .summary = "Show what changed between two campaigns",
    .synopsis = "DIR_A DIR_B [--html FILE]",
    .positionals = kPositionals,
    .options = kOptions,
    .details = kDetails,
    .program_option = {},
    .run = run,
    .program = kProgram,
};

}  // namespace pybox::campaign
