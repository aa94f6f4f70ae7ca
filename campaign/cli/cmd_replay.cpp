#include <fmt/core.h>
#include <poll.h>

#include <array>
#include <charconv>
#include <filesystem>

#include "base/text.hpp"
#include "campaign/cli/commands.hpp"
#include "replay/keep/rejudge.hpp"
#include "replay/play/player.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

constexpr std::array kPositionals = {cli::Positional{"REPLAY_DIR", "the recording"}};

constexpr std::array kOptions = {
    cli::Option{"--strict", "", "show nothing and fail on any drift: for CI"},
    cli::Option{"--speed", "S", "how many times faster; 0: without pauses (default 1)"},
    cli::Option{"--mutate", "", "falsify it in every known way; each must be noticed"},
    cli::Option{"--accept", "", "write today's results to its expect.json"}};

constexpr std::string_view kDetails =
    R"(Shows a recorded campaign as it happened, then judges it again with this build's
oracles. Needs no privileges, no VM and no network.

A difference from expect.json is drift: of a verdict, of the environment, or of the
format. Exit code 0: no drift; without --strict also drift of the environment or
format only. 1: other drift, a recording that is not whole, or a mutation that was
not noticed. A recording that must stay red and is not counts as drift of its
verdict, whatever expect.json says.)";

Result<double> speed_of(const cli::Words& words) {
  const auto text = words.value("--speed");
  if (!text) return 1.0;
  double speed = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), speed);
  const bool paced = speed >= 1e-3 && speed <= 1e6;
  if (read.ec != std::errc() || read.ptr != text->data() + text->size() || (speed != 0 && !paced))
    return Error(ErrorKind::Usage, "`--speed` must be 0, or a number from 0.001 to 1000000");
  return speed;
}

/// Waits for nothing but the time; a signal ends the program as it ends any other.
Result<void> wait_for(Nanos time) {
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(time);
  const timespec pause{.tv_sec = whole.count(), .tv_nsec = (time - whole).count()};
  (void)::ppoll(nullptr, 0, &pause, nullptr);
  return {};
}

std::string verdict_lines(const replay::Recording& recording, const replay::Rejudged& rejudged) {
  std::string text;
  for (const CheckResult& check : rejudged.judged.checks)
    text +=
        fmt::format("{:<14} {}  {}\n", name_of(check.verdict), full_id(check), visible(check.why));
  text += fmt::format("{}: {}, judged by today's oracles{}\n", visible(recording.meta.name),
                      visible(rejudged.judged.verdict),
                      recording.meta.must == replay::Must::StayRed ? "; it must stay red" : "");
  text += fmt::format("source {}, SHA-256 {}; {} things cleaned out of it\n",
                      visible(recording.meta.source_file), recording.meta.source_sha256, [&] {
                        std::uint64_t sum = 0;
                        for (const auto& [rule, count] : recording.meta.counts) sum += count;
                        return sum;
                      }());
  return text;
}

Result<int> show_mutations(const replay::Recording& recording) {
  bool all = true;
  std::string text;
  for (const replay::Noticed& each : PYBOX_TRY(replay::mutate(recording))) {
    const char* const word = !each.applies ? "–" : each.noticed ? "noticed" : "MISSED";
    all = all && (!each.applies || each.noticed);
    text += fmt::format("{:<8} {:<20} {}\n", word, each.mutation->name,
                        each.noticed || !each.applies ? visible(each.how) : each.mutation->what);
  }
  PYBOX_TRY(cli::print(text));
  return all ? 0 : kNotGreen;
}

Result<int> run(const cli::Words& words, const cli::Surroundings&) {
  const double speed = PYBOX_TRY(speed_of(words));
  const std::filesystem::path dir = words.positionals[0];
  const replay::Recording recording =
      PYBOX_TRY_CONTEXT(replay::read_recording(dir), "the recording");
  if (words.has("--mutate")) return show_mutations(recording);
  const replay::Rejudged rejudged =
      PYBOX_TRY_CONTEXT(replay::rejudge(recording), "judging the recording");
  if (!words.has("--strict") && !words.has("--accept")) {
    PYBOX_TRY(replay::play(
        replay::scenes(rejudged.events, recording.evidence, rejudged.judged), speed,
        [](const std::string& text) { return cli::print(text); }, wait_for));
    PYBOX_TRY(cli::print("\n"));
  }
  PYBOX_TRY(cli::print(verdict_lines(recording, rejudged)));
  bool failed = false;
  for (const replay::Drift& drift : rejudged.drifts) {
    PYBOX_TRY(cli::print(fmt::format("{} drift: {}\n", name_of(drift.kind), drift.what)));
    failed = failed || words.has("--strict") || drift.kind == replay::DriftKind::Verdict;
  }
  if (rejudged.drifts.empty()) PYBOX_TRY(cli::print("no drift\n"));
  if (words.has("--accept"))
    PYBOX_TRY(
        sys::replace_file(dir / "expect.json", rejudged.today, 0644, sys::Durability::Unsynced));
  return failed ? kNotGreen : 0;
}

Result<int> run_and_name_evidence(const cli::Words& words, const cli::Surroundings& around) {
  auto code = run(words, around);
  // What does not hold together is an answer about the recording, not a failure of ours.
  if (code || code.error().kind() != ErrorKind::Evidence) return code;
  PYBOX_TRY(cli::print("format drift: " + visible(code.error().message()) + "\n"));
  return kNotGreen;
}

}  // namespace

const cli::Command kReplay{
    .name = "replay",
    .summary = "Show a recorded campaign and judge it with today's oracles",
    .synopsis = "REPLAY_DIR [--strict]",
    .positionals = kPositionals,
    .options = kOptions,
    .details = kDetails,
    .program_option = {},
    .run = run_and_name_evidence,
    .program = kProgram,
};

}  // namespace pybox::campaign
