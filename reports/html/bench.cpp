#include "reports/html/bench.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "reports/html/shell.hpp"
#include "reports/render/bench.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports {
namespace {

constexpr std::int64_t kLeft = 40, kRight = 20, kTop = 10, kBottom = 24;
constexpr std::int64_t kWidth = 340, kHeight = 170;
/// Points of a curve: halves of a percent.
constexpr std::size_t kPoints = 200;

using Times = std::vector<std::int64_t>;

/// The next 1, 2 or 5 times a power of ten.
std::int64_t round_step(std::int64_t value) {
  for (std::int64_t unit = 1;; unit *= 10) {
    for (const std::int64_t times : {1, 2, 5}) {
      if (unit * times >= value) return unit * times;
    }
  }
}

/// Tenths of a unit, as SVG writes them.
std::string tenth(std::int64_t value) { return fmt::format("{}.{}", value / 10, value % 10); }

/// Whole milliseconds where the steps are.
std::string axis_label(std::int64_t at, std::int64_t step) {
  constexpr std::int64_t kMilli = 1'000'000;
  return step % kMilli == 0 ? std::to_string(at / kMilli) : millis_text(Nanos(at));
}

struct Scale {
  std::int64_t step = 1, end = 5;
  std::int64_t x(std::int64_t nanos) const {
    return kLeft * 10 + (kWidth - kLeft - kRight) * 10 * (std::min(nanos, end) / 1000) /
                            std::max<std::int64_t>(end / 1000, 1);
  }
  /// `share` of kPoints.
  static std::int64_t y(std::size_t share) {
    constexpr std::int64_t kInner = (kHeight - kTop - kBottom) * 10;
    return kTop * 10 + kInner -
           kInner * static_cast<std::int64_t>(share) / static_cast<std::int64_t>(kPoints);
  }
};

/// The share of runs that had ended by each time.
std::string curve(Times times, const Scale& scale, std::string_view name) {
  if (times.empty()) return "";
  std::sort(times.begin(), times.end());
  std::string points = tenth(scale.x(times.front())) + "," + tenth(Scale::y(0));
  for (std::size_t i = 1; i <= kPoints; ++i) {
    const std::size_t rank = (times.size() * i + kPoints - 1) / kPoints;
    points += " " + tenth(scale.x(times[rank - 1])) + "," + tenth(Scale::y(i));
  }
  return fmt::format(R"(<polyline class="c-{}" points="{}"/>)", name, points);
}

std::string axes(const Scale& scale) {
  std::string out = fmt::format(R"(<path class="axis" d="M{0} {1}V{2}H{3}"/>)", kLeft, kTop,
                                kHeight - kBottom, kWidth - kRight);
  for (std::int64_t at = 0; at <= scale.end; at += scale.step) {
    out += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", tenth(scale.x(at)),
                       kHeight - 8, axis_label(at, scale.step));
  }
  for (const std::size_t percent : {std::size_t{0}, std::size_t{50}, std::size_t{100}}) {
    const std::int64_t y = Scale::y(percent * kPoints / 100);
    out += fmt::format(R"(<text x="{}" y="{}" text-anchor="end">{} %</text>)", kLeft - 5,
                       tenth(y + 30), percent);
  }
  return out;
}

std::string figure(const BenchCase& each, const BenchSeries& series) {
  const auto samples = series.find(each.name);
  if (samples == series.end()) return "";
  Scale scale;
  const Nanos last =
      std::max(each.sealed.p99.value_or(each.sealed.max), each.bare.p99.value_or(each.bare.max));
  scale.step = round_step(std::max<std::int64_t>(last.count() / 5, 1));
  scale.end = (last.count() + scale.step) / scale.step * scale.step;
  return fmt::format(
             R"(<figure><figcaption>{0}</figcaption><svg viewBox="0 0 {1} {2}" role="img" aria-label="{0}: the share of runs that had ended after so many milliseconds">)",
             html_text(each.name), kWidth, kHeight) +
         axes(scale) + curve(samples->second.bare, scale, "control") +
         curve(samples->second.sealed, scale, "protected") + "</svg></figure>";
}

std::string number(const std::optional<Nanos>& time) {
  return fmt::format(R"(<td class="n">{})", time ? millis_text(*time) : "–") + "</td>";
}

std::string spread_cells(const Spread& spread) {
  return number(spread.p50) + number(spread.p95) + number(spread.p99) + number(spread.max);
}

std::string rows(const BenchCase& each) {
  const MiddleOf<Nanos>& added = each.added.median;
  std::string added_text = millis_text(added.p50), ratio = ratio_text(each.ratio.p50);
  if (added.low && added.high)
    added_text += fmt::format(" [{}, {}]", millis_text(*added.low), millis_text(*added.high));
  if (each.ratio.low && each.ratio.high)
    ratio += fmt::format(" [{}, {}]", ratio_text(*each.ratio.low), ratio_text(*each.ratio.high));
  const std::string where =
      each.accelerator.empty() ? each.cgroup : each.cgroup + ", " + each.accelerator;
  return fmt::format(
      R"(<tr><th scope="row" rowspan="2">{}</th><td>bare</td><td class="n">{}</td>{}<td></td><td></td><td></td></tr>)"
      R"(<tr><td>sealed</td><td class="n">{}</td>{}<td class="n">{}</td><td class="n">{}</td><td>{}</td></tr>)",
      html_text(each.name), each.pairs, spread_cells(each.bare), each.pairs,
      spread_cells(each.sealed), added_text, ratio, html_text("cgroup " + where));
}

std::string table(const Bench& bench) {
  std::string body;
  for (const BenchCase& each : bench.cases) body += rows(each);
  return R"(<div class="scroll"><table class="plain"><caption>Times in milliseconds, from the start of the process until it was reaped</caption>)"
         R"(<thead><tr><th scope="col">Case</th><th scope="col">Run</th><th scope="col" class="n">Pairs</th><th scope="col" class="n">p50</th>)"
         R"(<th scope="col" class="n">p95</th><th scope="col" class="n">p99</th><th scope="col" class="n">max</th><th scope="col" class="n">Added</th>)"
         R"(<th scope="col" class="n">Ratio</th><th scope="col">Where</th></tr></thead><tbody>)" +
         body + "</tbody></table></div>";
}

std::string facts(std::string_view title, const std::map<std::string, std::string>& words) {
  std::string out = fmt::format(R"(<h3>{}</h3><dl class="facts">)", title);
  for (const auto& [name, fact] : words)
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", html_text(name), html_text(fact));
  return out + "</dl>";
}

}  // namespace

std::string bench_html(const Bench& bench, const BenchSeries& series) {
  std::string out = fmt::format(
      R"(<header><p class="eyebrow">PyBox bench {}</p><h1>What a sealed run costs</h1><p class="lead">Each sealed run is paired with one of the bare interpreter of the same image, back to back, in random order. Before each case: {} of warm-up, not counted.</p></header><main><section>)",
      html_text(bench.id), counted(bench.warm_up, "pair"));
  out += table(bench);
  out +=
      "<p>Percentiles are nearest ranks. What was added and the ratio are medians of pairs, with "
      "an interval that holds the true median with at least 95 %.</p><ul>";
  for (const std::string& note : bench_notes(bench)) out += "<li>" + html_text(note) + "</li>";
  out += "</ul></section>";
  out +=
      R"(<section><h2>How the times spread</h2><p class="legend"><span><svg viewBox="0 0 24 8"><path class="c-protected" d="M0 4H24"/></svg> sealed</span>)"
      R"(<span><svg viewBox="0 0 24 8"><path class="c-control" d="M0 4H24"/></svg> bare interpreter</span></p>)"
      R"(<p class="quiet-text">The share of runs that had ended after so many milliseconds; the slowest hundredth may lie beyond the right edge.</p><div class="figures">)";
  for (const BenchCase& each : bench.cases) out += figure(each, series);
  out += "</div></section><section><h2>Where and when</h2>";
  out +=
      fmt::format("<p>Started {}, ended {}.</p>", html_text(bench.started), html_text(bench.ended));
  out += facts("Environment", bench.environment) + facts("Programs (SHA-256)", bench.tools);
  out += "</section><section><h2>Check it yourself</h2><pre>" +
         html_text(verify_commands(Statements::One)) +
         "</pre><p><code>campaign verify .</code> also computes every figure again from the raw "
         "samples. A signature does not show that the machine was quiet.</p></section></main>";
  return still_page("What a sealed run costs: PyBox bench " + bench.id, out);
}

}  // namespace pybox::reports
