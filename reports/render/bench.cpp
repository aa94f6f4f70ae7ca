#include "reports/render/bench.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "reports/render/words.hpp"

namespace pybox::reports {
namespace {

using campaign::Bench;
using campaign::BenchCase;
using campaign::Middle;
using campaign::Spread;

constexpr std::string_view kNone = "-";

std::string or_none(const std::optional<Nanos>& time) {
  return time ? millis_text(*time) : std::string(kNone);
}

std::string signed_millis(Nanos time) { return (time < Nanos{0} ? "" : "+") + millis_text(time); }

std::string where_text(const BenchCase& each) {
  std::string text = each.engine + " engine";
  if (!each.box.accelerator.empty()) text += ", accelerator " + plain_line(each.box.accelerator);
  return text + fmt::format(", {} cores at most, kernel {}, cgroup {}, {} checked before each run",
                            ratio_text(static_cast<std::int64_t>(each.box.cpu_millicores)),
                            plain_line(each.box.kernel), plain_line(each.box.cgroup),
                            counted(each.box.seal_checks, "protection"));
}

/// "+12.34 ms [+12.01, +12.70]"
template <class Text>
std::string with_interval(const Middle& middle, Text text, std::string_view unit) {
  std::string out = text(middle.p50) + std::string(unit);
  if (middle.low && middle.high)
    out += fmt::format(" [{}, {}]", text(*middle.low), text(*middle.high));
  return out;
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
    emulated = emulated || each.box.accelerator == "tcg";
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

std::string ratio_text(std::int64_t thousandths) {
  const std::int64_t hundredths = (thousandths + 5) / 10;
  return fmt::format("{}.{:02}", hundredths / 100, hundredths % 100);
}

std::string added_text(const BenchCase& each) {
  return with_interval(
      each.added, [](std::int64_t nanos) { return signed_millis(Nanos(nanos)); }, " ms");
}

std::string times_text(const BenchCase& each) { return with_interval(each.ratio, ratio_text, "x"); }

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
  note_engines(bench, notes);
  for (const BenchCase& each : bench.cases) {
    notes.push_back(fmt::format("{}: load of the machine {} before, {} after.",
                                plain_line(each.name), plain_line(each.load_before),
                                plain_line(each.load_after)));
  }
  return notes;
}

std::vector<BenchRow> bench_rows(const BenchCase& each) {
  const auto row = [&](std::string run, const Spread& spread) {
    return BenchRow{std::move(run),
                    {std::to_string(each.pairs), millis_text(spread.p50), or_none(spread.p95),
                     or_none(spread.p99)}};
  };
  return {row("bare", each.bare), row("sealed", each.sealed)};
}

std::string bench_text(const Bench& bench) {
  std::string out = fmt::format(
      "Times in ms, from the start of the process until it was reaped. Before each case: {} of "
      "warm-up,\nnot counted. Idle time before each run: {} ms. Percentiles are nearest ranks.\n",
      counted(bench.warm_up, "pair"), bench.think_ms);
  const auto line = [&](const std::string& name, std::string_view run, const auto& cells) {
    out += fmt::format("{:<16} {:<6} {:>6} {:>9} {:>9} {:>9}\n", name, run, cells[0], cells[1],
                       cells[2], cells[3]);
  };
  std::string where;
  for (const BenchCase& each : bench.cases) {
    const std::string here = where_text(each);
    if (here != where) {
      out += "\n" + here + "\n";
      line("", "", kBenchColumns);
      where = here;
    }
    std::string name = plain_line(each.image) + " " + plain_line(each.program);
    for (const BenchRow& row : bench_rows(each)) line(std::exchange(name, ""), row.run, row.cells);
    out += fmt::format("{:<16} added {}, {} the bare time (medians of pairs, 95 % intervals)\n", "",
                       added_text(each), times_text(each));
  }
  out += "\n";
  for (const std::string& note : bench_notes(bench)) out += "note: " + note + "\n";
  return out;
}

std::string bench_markdown(const Bench& bench) {
  std::string out = "# What a sealed run costs\n\nBench " + markdown_code(bench.id) + ", started " +
                    markdown_code(bench.started) + ", ended " + markdown_code(bench.ended) +
                    ".\n\n```text\n" + bench_text(bench) +
                    "```\n\n## Where\n\n| what | |\n|:--|:--|\n";
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
