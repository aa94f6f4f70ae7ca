#include "reports/render/bench.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/join.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports {
namespace {

constexpr std::string_view kNone = "-";

std::string or_none(const std::optional<Nanos>& time) {
  return time ? millis_text(*time) : std::string(kNone);
}

std::string signed_millis(Nanos time) { return (time < Nanos{0} ? "" : "+") + millis_text(time); }

/// "+12.34 ms [+12.01, +12.70]"
std::string added_text(const BenchCase& each) {
  const MiddleOf<Nanos>& added = each.added.median;
  std::string text = signed_millis(added.p50) + " ms";
  if (added.low && added.high)
    text += fmt::format(" [{}, {}]", signed_millis(*added.low), signed_millis(*added.high));
  return text;
}

/// "1.50x [1.45, 1.58]"
std::string times_text(const BenchCase& each) {
  std::string text = ratio_text(each.ratio.p50) + "x";
  if (each.ratio.low && each.ratio.high)
    text += fmt::format(" [{}, {}]", ratio_text(*each.ratio.low), ratio_text(*each.ratio.high));
  return text;
}

std::string where_text(const BenchCase& each) {
  std::string text = each.engine + " engine";
  if (!each.accelerator.empty()) text += ", accelerator " + plain_line(each.accelerator);
  return text + fmt::format(", kernel {}, cgroup {}, {} checked before each run",
                            plain_line(each.kernel), plain_line(each.cgroup),
                            counted(each.seal_checks, "protection"));
}

std::string row(const std::string& name, std::string_view side, std::uint64_t pairs,
                const Spread& spread) {
  return fmt::format("{:<16} {:<6} {:>6} {:>9} {:>9} {:>9} {:>9}\n", name, side, pairs,
                     millis_text(spread.p50), or_none(spread.p95), or_none(spread.p99),
                     millis_text(spread.max));
}

/// "prepare 1.20, seal 2.30, …", in the order in which they happen.
std::string stages_text(const BenchCase& each) {
  std::vector<std::string> parts;
  Nanos sum{};
  for (const char* const name :
       {"queue", "prepare", "seal", "start", "run", "collect", "cleanup"}) {
    const auto stage = each.stages.find(name);
    if (stage == each.stages.end()) continue;
    sum += stage->second;
    parts.push_back(fmt::format("{} {}", name, millis_text(stage->second)));
  }
  if (parts.empty()) return "";
  parts.push_back("around it " + millis_text(std::max(Nanos{0}, each.sealed.p50 - sum)));
  return join(parts, ", ");
}

void note_too_few(const Bench& bench, std::vector<std::string>& notes) {
  const auto lacks = [&](std::optional<Nanos> Spread::*member) {
    return std::any_of(bench.cases.begin(), bench.cases.end(),
                       [&](const auto& each) { return !(each.sealed.*member); });
  };
  if (lacks(&Spread::p95)) notes.push_back("p95 is left out where there are fewer than 20 pairs.");
  if (lacks(&Spread::p99)) notes.push_back("p99 is left out where there are fewer than 100 pairs.");
}

void note_engines(const Bench& bench, std::vector<std::string>& notes) {
  bool vm = false, emulated = false;
  for (const BenchCase& each : bench.cases) {
    vm = vm || each.engine == "vm";
    emulated = emulated || each.accelerator == "tcg";
  }
  if (vm) notes.push_back("In the vm engine's rows the bare interpreter runs on the host.");
  if (emulated) {
    notes.emplace_back(
        "The guest's processor is emulated (TCG): there the interpreter itself is several times "
        "slower, so these rows say how long a user without KVM waits, not what sealing adds.");
  }
}

}  // namespace

std::string millis_text(Nanos time) {
  // Rounded to a hundredth, half away from zero, without a float in between.
  const std::int64_t count = time.count() < 0 ? -time.count() : time.count();
  const std::int64_t hundredths = (count + 5000) / 10000;
  return fmt::format("{}{}.{:02}", time.count() < 0 && hundredths > 0 ? "-" : "", hundredths / 100,
                     hundredths % 100);
}

std::string ratio_text(std::uint64_t thousandths) {
  const std::uint64_t hundredths = (thousandths + 5) / 10;
  return fmt::format("{}.{:02}", hundredths / 100, hundredths % 100);
}

std::vector<std::string> bench_notes(const Bench& bench) {
  std::vector<std::string> notes;
  if (!bench.failure.empty())
    notes.push_back("Ended early: a run failed. " + plain_line(bench.failure));
  if (bench.failure.empty() && !bench.complete) notes.push_back("Ended early: it was interrupted.");
  const auto build = bench.environment.find("build");
  if (build != bench.environment.end() && build->second != "Release")
    notes.push_back("PyBox is a " + plain_line(build->second) +
                    " build here: what users get is faster.");
  note_too_few(bench, notes);
  for (const BenchCase& each : bench.cases) {
    if (each.held_back_runs == 0) continue;
    notes.push_back(fmt::format(
        "{}: the limit of {} made the program wait in {} of {} runs; that is part of its time.",
        plain_line(each.name),
        each.cpu_millicores == 1000 ? "one core" : ratio_text(each.cpu_millicores) + " cores",
        each.held_back_runs, each.pairs));
  }
  note_engines(bench, notes);
  for (const BenchCase& each : bench.cases) {
    notes.push_back(fmt::format("{}: load of the machine {} before, {} after.",
                                plain_line(each.name), plain_line(each.load_before),
                                plain_line(each.load_after)));
  }
  return notes;
}

std::string bench_text(const Bench& bench) {
  std::string out = fmt::format(
      "Times in ms, from the start of the process until it was reaped. Before each case: {} of "
      "warm-up,\nnot counted. Idle time before each run: {} ms. Percentiles are nearest ranks.\n",
      counted(bench.warm_up, "pair"), bench.think_ms);
  std::string where;
  for (const BenchCase& each : bench.cases) {
    const std::string here = where_text(each);
    if (here != where) {
      out += "\n" + here + "\n" +
             fmt::format("{:<16} {:<6} {:>6} {:>9} {:>9} {:>9} {:>9}\n", "", "", "pairs", "p50",
                         "p95", "p99", "max");
      where = here;
    }
    const std::string name = plain_line(each.image) + " " + plain_line(each.program);
    out += row(name, "bare", each.pairs, each.bare);
    out += row("", "sealed", each.pairs, each.sealed);
    out += fmt::format("{:<16} added {}, {} the bare time (medians of pairs, 95 % intervals)\n", "",
                       added_text(each), times_text(each));
    const std::string stages = stages_text(each);
    if (!stages.empty()) out += fmt::format("{:<16} {}\n", "", stages);
  }
  out += "\n";
  for (const std::string& note : bench_notes(bench)) out += "note: " + note + "\n";
  return out;
}

std::string bench_markdown(const Bench& bench) {
  std::string out = "# What a sealed run costs\n\nBench " + markdown_code(bench.id) + ", started " +
                    markdown_code(bench.started) + ", ended " + markdown_code(bench.ended) +
                    ".\n\n";
  out += fmt::format(
      "Times in milliseconds, from the start of the process until it was reaped. Before each "
      "case: {} of warm-up, not counted. Idle time before each run: {} ms. Percentiles are nearest "
      "ranks; what was added and the ratio are medians of pairs with 95 % intervals.\n\n",
      counted(bench.warm_up, "pair"), bench.think_ms);
  out +=
      "| case | run | pairs | p50 | p95 | p99 | max | added | ratio |\n"
      "|:--|:--|--:|--:|--:|--:|--:|:--|:--|\n";
  for (const BenchCase& each : bench.cases) {
    const auto line = [&](std::string_view name, std::string_view side, const Spread& spread,
                          const std::string& added, const std::string& ratio) {
      out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name, side, each.pairs,
                         millis_text(spread.p50), or_none(spread.p95), or_none(spread.p99),
                         millis_text(spread.max), added, ratio);
    };
    line(markdown_code(each.name), "bare", each.bare, "", "");
    line("", "sealed", each.sealed, added_text(each), times_text(each));
  }
  out += "\n";
  for (const std::string& note : bench_notes(bench)) out += "- " + markdown_text(note) + "\n";
  out += "\n## Where\n\n| what | |\n|:--|:--|\n";
  for (const auto& [name, fact] : bench.environment)
    out += "| " + markdown_code(name) + " | " + markdown_code(fact) + " |\n";
  out +=
      "\n## Checking this yourself\n\nIn the folder of this evidence, with no program of "
      "ours:\n\n```sh\n";
  out += verify_commands(Statements::One);
  return out +
         "\n```\n\n`campaign verify .` also computes every figure again from the raw samples in "
         "`events.jsonl`. A signature shows who vouches for these bytes; it does not show that the "
         "machine was quiet.\n";
}

}  // namespace pybox::reports
