#include <fmt/core.h>
#include <sys/utsname.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "campaign/cli/commands.hpp"
#include "replay/keep/rejudge.hpp"

namespace pybox::campaign {
namespace {

constexpr std::array kPositionals = {cli::Positional{"DIR", "the evidence folder of a campaign"}};

constexpr std::array kOptions = {
    cli::Option{"-o", "RECORDING", "the folder to make; its name is the recording's"},
    cli::Option{"--why", "TEXT", "what the recording shows, in one sentence"},
    cli::Option{"--red", "", "it is of a weak box and must stay red"}};

constexpr std::string_view kDetails =
    R"(Cleans the evidence by an allow-list (docs/evidence.md): names of this machine and
its user, paths, addresses, secrets and tokens are removed. meta.json counts what was
removed and has the SHA-256 of the uncleaned events.jsonl. The recording is then judged
once, and the result is its expect.json.)";

/// The machine's and the user's names, which no pattern finds.
std::vector<std::string> names_here() {
  std::vector<std::string> names;
  utsname host{};
  if (::uname(&host) == 0) {
    const std::string name = host.nodename;
    names.push_back(name);
    if (const auto dot = name.find('.'); dot != std::string::npos)
      names.push_back(name.substr(0, dot));
  }
  for (const char* const variable : {"USER", "LOGNAME", "SUDO_USER"}) {
    if (const char* const value = std::getenv(variable)) names.emplace_back(value);
  }
  if (const char* const home = std::getenv("HOME"))
    names.push_back(std::filesystem::path(home).filename().string());
  return names;
}

Result<replay::Recording> recording_of(const std::filesystem::path& dir, const std::string& name,
                                       const cli::Words& words) {
  const replay::Evidence source = PYBOX_TRY(replay::read_evidence(dir));
  replay::Cleaned cleaned = PYBOX_TRY(replay::clean(source, names_here()));
  replay::Recording recording;
  recording.evidence = std::move(cleaned.evidence);
  replay::Meta& meta = recording.meta;
  meta.name = name;
  meta.why = std::string(*words.value("--why"));
  meta.must = words.has("--red") ? replay::Must::StayRed : replay::Must::StayGreen;
  meta.source_file = "events.jsonl";
  meta.source_sha256 = sha256_hex(source.events);
  meta.source_bytes = source.events.size();
  meta.rules_sha256 = replay::rules_digest();
  meta.counts = std::move(cleaned.counts);
  meta.events_sha256 = sha256_hex(recording.evidence.events);
  meta.plan_sha256 = sha256_hex(recording.evidence.plan);
  const Evidence judged = PYBOX_TRY(replay::judge(recording.evidence));
  meta.campaign = judged.id;
  recording.expect = PYBOX_TRY(replay::expectation(judged));
  return recording;
}

Result<int> run(const cli::Words& words, const cli::Surroundings&) {
  const auto target = words.value("-o");
  const auto why = words.value("--why");
  if (!target || target->empty()) return Error(ErrorKind::Usage, "`-o RECORDING` is missing");
  if (!why || why->empty()) return Error(ErrorKind::Usage, "`--why TEXT` is missing");
  const std::filesystem::path folder = std::string(*target);
  const std::string name = folder.filename().string();
  if (!is_plain_word(name))
    return Error(ErrorKind::Usage, "a recording's name is letters, digits, `.`, `_` and `-`");
  const replay::Recording recording = PYBOX_TRY(recording_of(words.positionals[0], name, words));
  const replay::Rejudged rejudged = PYBOX_TRY(replay::rejudge(recording));
  if (!rejudged.drifts.empty())
    return Error(ErrorKind::Refused, rejudged.drifts.front().what)
        .hint("`--red` is only for recordings of weak boxes");
  PYBOX_TRY(replay::write_recording(folder, recording));
  std::string text = fmt::format("{}: {}\n", visible(name), visible(rejudged.judged.verdict));
  for (const auto& [rule, count] : recording.meta.counts)
    text += fmt::format("  cleaned  {} {}\n", count, rule);
  PYBOX_TRY(cli::print(text));
  return 0;
}

}  // namespace

const cli::Command kRecord{
    .name = "record",
    .summary = "Make a cleaned recording from the evidence of a campaign",
    .synopsis = "DIR -o RECORDING --why TEXT [--red]",
    .positionals = kPositionals,
    .options = kOptions,
    .details = kDetails,
    .program_option = {},
    .run = run,
    .program = kProgram,
};

}  // namespace pybox::campaign
