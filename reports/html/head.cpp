#include <fmt/core.h>

#include <algorithm>

#include "reports/html/parts.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports::html {
namespace {

std::string headline(const Evidence& campaign) {
  const auto some = [&](Verdict verdict, std::string_view one, std::string_view many) {
    const std::uint64_t count = campaign.count(verdict);
    return count == 1 ? std::string(one) : fmt::format("{} {}", grouped(count), many);
  };
  if (campaign.verdict == "held") {
    return campaign.count(Verdict::Held) == campaign.checks.size()
               ? "Every claim held"
               : "Every claim that could be tried here held";
  }
  if (campaign.verdict == "broken")
    return some(Verdict::Broken, "One claim is broken", "claims are broken");
  if (campaign.verdict == "error") {
    return some(Verdict::Error, "One check gave no usable answer", "checks gave no usable answer");
  }
  if (campaign.verdict == "vacuous") {
    return some(Verdict::Vacuous, "One check proves nothing", "checks prove nothing");
  }
  if (campaign.verdict == "flaky") {
    return some(Verdict::Flaky, "One check contradicts itself", "checks contradict themselves");
  }
  if (campaign.verdict == "unmet") return "Some checks could not run here";
  return "The campaign did not finish";
}

/// One bar of all checks by verdict; the numbers stand beside it in words.
std::string bar(const Evidence& campaign) {
  const std::uint64_t all = std::max<std::uint64_t>(campaign.checks.size(), 1);
  std::string out =
      R"(<svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">)";
  std::uint64_t before = 0;
  for (const Verdict verdict :
       {Verdict::Held, Verdict::NotApplicable, Verdict::Unmet, Verdict::Flaky, Verdict::Vacuous,
        Verdict::Error, Verdict::Broken}) {
    const std::uint64_t count = campaign.count(verdict);
    if (count == 0) continue;
    const std::uint64_t from = before * 1000 / all;
    before += count;
    const std::uint64_t width = before * 1000 / all - from;
    out += fmt::format(R"(<rect class="f-{}" x="{}" y="0" width="{}" height="10"/>)", slug(verdict),
                       from, width > 4 ? width - 2 : width);
  }
  return out + "</svg>";
}

std::string fact(std::string_view name, const std::string& value) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, value);
}

std::string duration(const Evidence& campaign) {
  const std::int64_t millis = epoch_millis(campaign.ended) - epoch_millis(campaign.started);
  if (campaign.ended.empty() || millis < 0) return "unknown";
  const std::int64_t seconds = millis / 1000;
  return seconds < 120 ? fmt::format("{}.{} s", seconds, millis % 1000 / 100)
                       : fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
}

std::string day(const std::string& time) { return html_text(time.substr(0, 10)); }

std::string minute(const std::string& time) {
  if (time.size() < 16 || time[10] != 'T') return time.empty() ? "never" : html_text(time);
  return html_text(time.substr(0, 10) + " " + time.substr(11, 5) + " UTC");
}

std::string earlier(const ReportInput& input) {
  if (input.history.empty()) return "";
  std::string out =
      R"(<section class="past" aria-label="Earlier campaigns"><h2>Earlier campaigns</h2><ol>)";
  for (const PastRun& run : input.history) {
    out += fmt::format("<li>{}<span>{}</span></li>", status(run.verdict), day(run.ended));
  }
  out += fmt::format("<li>{}<span><strong>this one</strong></span></li></ol></section>",
                     status(input.campaign.verdict));
  return out;
}

}  // namespace

std::string head(const ReportInput& input) {
  const Evidence& campaign = input.campaign;
  std::string out =
      R"(<header class="top"><div class="bar-top"><p class="eyebrow">PyBox evidence</p>)"
      R"(<button type="button" id="theme" class="quiet js-only">Theme: auto</button></div>)";
  const auto known = campaign::verdict_from(campaign.verdict);
  out += fmt::format(R"(<h1 class="t-{}"><span class="g" aria-hidden="true">{}</span>{}</h1>)",
                     known ? name_of(*known) : "error", glyph_of_whole(campaign.verdict),
                     html_text(headline(campaign)));
  out += fmt::format(R"(<p class="lead">{}</p>)", html_text(verdict_sentence(campaign)));
  out += bar(campaign) + R"(<dl class="facts">)";
  out += fact("Campaign", code(campaign.id));
  out += fact("Started", minute(campaign.started));
  out += fact("Took", duration(campaign));
  out += fact("Plan", R"(<code class="hash" title=")" + campaign.plan_sha256 + "\">" +
                          campaign.plan_sha256.substr(0, 16) + "…</code>");
  out += fact("Events", R"(<code class="hash" title=")" + campaign.events_sha256 + "\">" +
                            campaign.events_sha256.substr(0, 16) + "…</code>");
  out += fact("Previous", campaign.previous ? code(campaign.previous->id) : "none");
  out += "</dl></header>";
  out +=
      R"(<nav class="toc" aria-label="Sections"><a href="#changed">What changed</a><a href="#checks">Checks</a>)"
      R"(<a href="#matrix">Matrix</a><a href="#curves">Resources</a><a href="#not-proven">Not proven</a>)"
      R"(<a href="#verify">Verify</a><a href="#appendix">Appendix</a></nav>)";
  return out + earlier(input);
}

}  // namespace pybox::reports::html
