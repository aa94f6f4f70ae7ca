#include <array>

#include "base/text.hpp"
#include "campaign/cli/commands.hpp"
#include "campaign/cli/finish.hpp"
#include "campaign/cli/summary.hpp"
#include "cli/terminal/exit_code.hpp"
#include "reports/render/bench.hpp"
#include "reports/write.hpp"

namespace pybox::campaign {
namespace {

constexpr std::array kPositionals = {cli::Positional{"DIR", "an evidence folder"}};
constexpr std::array kOptions = {
    cli::Option{"--sign", "KEY", "the private key in PEM form; default: this installation's own"}};

constexpr std::string_view kDetails =
    R"(Judges the recording in DIR again and writes campaign.json, junit.xml, report.html,
summary.md, ctrf.json and the signed files again: the same bytes as long as DIR and this
program have not changed. Exit code 0 only when the verdict is held. For a bench it
computes the figures and writes the files again.)";

Result<int> run(const cli::Words& words, const cli::Surroundings& around) {
  const std::filesystem::path folder = words.positionals.front();
  const SigningKey key = PYBOX_TRY(key_for(words.value("--sign")));
  if (reports::is_bench_folder(folder)) {
    const Bench bench = PYBOX_TRY(write_bench_evidence(folder, key));
    cli::say(reports::bench_text(bench));
    PYBOX_TRY(cli::print((folder / "report.html").string() + "\n"));
    return cli::exit_code::kOk;
  }
  const Evidence evidence = PYBOX_TRY(write_evidence(folder, key));
  cli::say(summary_text(evidence, around.terminal.colour));
  PYBOX_TRY(cli::print((folder / "report.html").string() + "\n"));
  return evidence.verdict == name_of(Verdict::Held) ? 0 : kNotGreen;
}

}  // namespace

const cli::Command kReport{
    .name = "report",
    .summary = "Judge a recording again and rewrite its reports",
    .synopsis = "DIR [--sign KEY]",
    .positionals = kPositionals,
    .options = kOptions,
    .details = kDetails,
    .program_option = {},
    .run = run,
    .program = kProgram,
};

}  // namespace pybox::campaign
