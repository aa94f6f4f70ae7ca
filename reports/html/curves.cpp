#include <fmt/core.h>

#include <algorithm>

#include "base/text.hpp"
#include "reports/html/parts.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports::html {
namespace {

constexpr std::uint64_t kLeft = 52, kRight = 8, kTop = 12, kBottom = 22;
constexpr Nanos kMicro = std::chrono::microseconds(1);
constexpr std::uint64_t kWidth = 340, kHeight = 160;

using campaign::SeriesPoint;
using Value = std::optional<std::uint64_t>;

Value memory_of(const SeriesPoint& point) { return point.memory_bytes; }
Value pids_of(const SeriesPoint& point) { return point.pids; }
Value cpu_of(const SeriesPoint& point) {
  return point.cpu ? Value(static_cast<std::uint64_t>(*point.cpu / kMicro)) : Value();
}

std::uint64_t at_us(const SeriesPoint& point) {
  return static_cast<std::uint64_t>(point.at / kMicro);
}

/// One quantity of a check over time, in the protected and the control arm.
struct Panel {
  std::string_view title;
  Value (*of)(const SeriesPoint&);
  std::string (*label)(std::uint64_t);
  Value limit;             ///< a level line
  Value limit_per_second;  ///< or a line that rises
};

std::string size_label(std::uint64_t bytes) { return bytes == 0 ? "0" : human_size(Bytes{bytes}); }
std::string count_label(std::uint64_t count) { return grouped(count); }
std::string cpu_label(std::uint64_t microseconds) {
  if (microseconds == 0) return "0";
  if (microseconds < 1000) return fmt::format("{} µs", microseconds);
  if (microseconds < 1000000) return fmt::format("{} ms", microseconds / 1000);
  return fmt::format("{}.{:01} s", microseconds / 1000000, microseconds / 100000 % 10);
}

/// The next round number: of a size in quarters of a power of two, of anything else in halves of a
/// power of ten, or wholes from five on.
std::uint64_t round_top(std::uint64_t value, std::uint64_t base) {
  std::uint64_t unit = 1;
  while (unit * base <= value) unit *= base;
  std::uint64_t step = base == 2 ? unit / 4 : value < 5 * unit ? unit / 2 : unit;
  step = std::max<std::uint64_t>(step, 1);
  return (value + step - 1) / step * step;
}

struct Scale {
  std::uint64_t last_us = 1, top = 1;
  std::uint64_t x(std::uint64_t at) const {
    return kLeft * 10 + at * (kWidth - kLeft - kRight) * 10 / last_us;
  }
  std::uint64_t y(std::uint64_t value) const {
    const std::uint64_t height = (kHeight - kTop - kBottom) * 10;
    return kTop * 10 + height -
           static_cast<std::uint64_t>(static_cast<double>(std::min(value, top)) /
                                      static_cast<double>(top) * static_cast<double>(height));
  }
};

/// Tenths of a unit, as SVG writes them.
std::string tenth(std::uint64_t value) { return fmt::format("{}.{}", value / 10, value % 10); }

std::string path(const std::vector<SeriesPoint>& series, const Panel& panel, const Scale& scale,
                 std::string_view name) {
  std::string points;
  for (const SeriesPoint& sample : series) {
    const Value value = panel.of(sample);
    if (!value) continue;
    points += fmt::format("{}{},{}", points.empty() ? "" : " ", tenth(scale.x(at_us(sample))),
                          tenth(scale.y(*value)));
  }
  if (points.empty()) return "";
  return fmt::format(R"(<polyline class="c-{}" points="{}"/>)", name, points);
}

/// Where the run ended, with what it showed.
std::string end_mark(const ArmResult& arm, const std::vector<SeriesPoint>& series,
                     const Panel& panel, const Scale& scale) {
  for (auto sample = series.rbegin(); sample != series.rend(); ++sample) {
    const Value value = panel.of(*sample);
    if (!value) continue;
    const std::uint64_t x = scale.x(at_us(*sample)), y = scale.y(*value);
    return fmt::format(
        R"(<path class="kill" d="M{} {}l8 8m0 -8l-8 8"/><text class="kill-word" x="{}" y="{}" text-anchor="end">{}</text>)",
        tenth(x - 40), tenth(y - 40), tenth(x - 70), tenth(y > 240 ? y - 60 : y + 160),
        html_text(shortened(arm.observed, 24)));
  }
  return "";
}

std::string axes(const Panel& panel, const Scale& scale) {
  const std::uint64_t bottom = scale.y(0);
  std::string out = fmt::format(
      R"(<path class="axis" d="M{0} {1}V{2}H{3}"/><text x="{4}" y="{5}" text-anchor="end">{6}</text>)"
      R"(<text x="{4}" y="{2}" text-anchor="end">{7}</text>)",
      kLeft, kTop, tenth(bottom), kWidth - kRight, kLeft - 6, kTop + 6, panel.label(scale.top),
      panel.label(0));
  out += fmt::format(
      R"(<text x="{}" y="{}">0 s</text><text x="{}" y="{}" text-anchor="end">{}</text>)", kLeft,
      kHeight - 6, kWidth - kRight, kHeight - 6,
      seconds_text(kMicro * static_cast<std::int64_t>(scale.last_us)));
  return out;
}

std::string limit_line(const Panel& panel, const Scale& scale) {
  if (panel.limit) {
    const std::string y = tenth(scale.y(*panel.limit));
    return fmt::format(
        R"(<path class="limit" d="M{} {}H{}"/><text class="limit-word" x="{}" y="{}">limit {}</text>)",
        kLeft, y, kWidth - kRight, kLeft + 6, tenth(scale.y(*panel.limit) - 40),
        panel.label(*panel.limit));
  }
  if (!panel.limit_per_second) return "";
  // The share, met exactly: until the picture's edge or its top.
  const double at_end =
      static_cast<double>(*panel.limit_per_second) * static_cast<double>(scale.last_us) / 1e6;
  const double fraction = std::min(1.0, static_cast<double>(scale.top) / std::max(at_end, 1.0));
  const auto end = static_cast<std::uint64_t>(static_cast<double>(scale.last_us) * fraction);
  const auto value = static_cast<std::uint64_t>(at_end * fraction);
  return fmt::format(
      R"(<path class="limit" d="M{} {}L{} {}"/><text class="limit-word" x="{}" y="{}" text-anchor="end">limit {} a second</text>)",
      kLeft, tenth(scale.y(0)), tenth(scale.x(end)), tenth(scale.y(value)), kWidth - kRight,
      tenth(scale.y(0) - 60), cpu_label(*panel.limit_per_second));
}

struct Pair {
  const ArmResult* arm = nullptr;
  const AttemptResult* attempt = nullptr;
  const std::vector<SeriesPoint>& series() const {
    static const std::vector<SeriesPoint> kNone;
    return attempt ? attempt->series : kNone;
  }
};

Pair pair_of(const CheckResult& check, std::string_view name) {
  const ArmResult* const arm = check.arm(name);
  return {arm, arm ? deciding(*arm) : nullptr};
}

std::string figure(const Panel& panel, const Pair& guarded, const Pair& control) {
  Scale scale;
  bool any = false;
  for (const auto* series : {&guarded.series(), &control.series()}) {
    for (const SeriesPoint& sample : *series) {
      scale.last_us = std::max(scale.last_us, at_us(sample));
      const Value value = panel.of(sample);
      any = any || value;
      scale.top = std::max(scale.top, value.value_or(0));
    }
  }
  if (!any) return "";
  if (panel.limit) scale.top = std::max(scale.top, *panel.limit);
  scale.top = round_top(scale.top + scale.top / 20 + 1, panel.label == size_label ? 2 : 10);
  std::string out = fmt::format(
      R"(<figure><figcaption>{}</figcaption><svg viewBox="0 0 {} {}" role="img" aria-label="{} over time, protected and control">)",
      panel.title, kWidth, kHeight, panel.title);
  out += axes(panel, scale) + limit_line(panel, scale);
  out += path(control.series(), panel, scale, "control");
  out += path(guarded.series(), panel, scale, "protected");
  if (guarded.arm) out += end_mark(*guarded.arm, guarded.series(), panel, scale);
  return out + "</svg></figure>";
}

std::string cell(const Value& value, std::string (*label)(std::uint64_t)) {
  return value ? label(*value) : "unknown";
}

std::string data_table(const Pair& guarded, const Pair& control) {
  std::string rows;
  for (const Pair* pair : {&guarded, &control}) {
    for (const SeriesPoint& sample : pair->series()) {
      rows += fmt::format(
          "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
          "class=\"n\">{}</td></tr>",
          pair == &guarded ? "protected" : "control", seconds_text(sample.at),
          cell(sample.memory_bytes, size_label), cell(sample.pids, count_label),
          cell(cpu_of(sample), cpu_label));
    }
  }
  return R"(<details class="more"><summary>The samples as a table</summary><div class="scroll tall"><table class="plain"><caption class="sr">Samples</caption>)"
         R"(<thead><tr><th scope="col">Arm</th><th scope="col" class="n">At</th><th scope="col" class="n">Memory</th>)"
         R"(<th scope="col" class="n">Processes</th><th scope="col" class="n">CPU time</th></tr></thead><tbody>)" +
         rows + "</tbody></table></div></details>";
}

std::string curves_of(const CheckResult& check) {
  const Pair guarded = pair_of(check, "protected"), control = pair_of(check, "control");
  if (guarded.series().empty() && control.series().empty()) return "";
  const AttemptResult& first = guarded.attempt ? *guarded.attempt : *control.attempt;
  const auto limits = first.limits.value_or(campaign::SeriesLimits());
  const auto cpu_us = static_cast<std::uint64_t>(limits.cpu_per_s / kMicro);
  const std::string id = anchor(full_id(check));
  std::string out = fmt::format(
      R"(<article class="curve" id="curve-{}"><h3>{} <a href="#{}">{}</a> <span class="engine">{}</span></h3><div class="figures">)",
      id, status(check.verdict), id, html_text(check.id), name_of(check.engine));
  out += figure({"Memory", memory_of, size_label, limits.memory_bytes, {}}, guarded, control);
  out += figure({"Processes", pids_of, count_label, limits.pids, {}}, guarded, control);
  out += figure({"CPU time", cpu_of, cpu_label, {}, cpu_us}, guarded, control);
  return out + "</div>" + data_table(guarded, control) + "</article>";
}

}  // namespace

std::string curves(const ReportInput& input) {
  std::string out = R"(<section id="curves"><h2>Resources over time</h2>)";
  std::string articles;
  for (const CheckResult& check : input.campaign.checks) articles += curves_of(check);
  if (articles.empty()) {
    return out +
           R"(<p class="quiet-text">No check of this campaign recorded a curve.</p></section>)";
  }
  return out +
         R"(<p class="legend"><span><svg viewBox="0 0 24 8"><path class="c-protected" d="M0 4H24"/></svg> protected</span>)"
         R"(<span><svg viewBox="0 0 24 8"><path class="c-control" d="M0 4H24"/></svg> control, which stops itself at twice the limit</span>)"
         R"(<span><svg viewBox="0 0 24 8"><path class="limit" d="M0 4H24"/></svg> limit</span>)"
         R"(<span><svg viewBox="0 0 12 12"><path class="kill" d="M2 2l8 8m0 -8l-8 8"/></svg> end of the protected run</span></p>)" +
         articles + "</section>";
}

}  // namespace pybox::reports::html
