#include "reports/html/diff_page.hpp"

#include <fmt/core.h>

#include "reports/html/differences.hpp"
#include "reports/html/parts.hpp"
#include "reports/html/shell.hpp"
#include "reports/render/diff_words.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports {
namespace {

std::string side(std::string_view label, const Evidence& campaign) {
  return fmt::format("<div><dt>{}</dt><dd>{} {}<br>{}<br>{} of {} protections proven</dd></div>",
                     label, html::status(campaign.verdict), html::code(campaign.id),
                     html_text(counts_text(campaign)), campaign.proven(),
                     campaign.protections.size());
}

std::string head(const Evidence& before, const Evidence& after, const Diff& diff) {
  const bool worse = diff.worse > 0;
  return fmt::format(
      R"(<header class="top"><p class="eyebrow">PyBox evidence: two campaigns compared</p>)"
      R"(<h1 class="t-{}"><span class="g" aria-hidden="true">{}</span>{}</h1>)"
      R"(<p class="lead">{}: {}</p><dl class="facts">{}{}<div><dt>Link</dt><dd>{}</dd></div></dl></header>)",
      worse ? "broken" : "held", worse ? "✗" : "✓",
      worse ? "Evidence was lost" : "Nothing got worse", worse ? "In the later one" : "Compared",
      html_text(verdict_sentence(diff)), side("Before", before), side("Now", after),
      html_text(link_sentence(before, after)));
}

}  // namespace

std::string diff_html(const Evidence& before, const Evidence& after, const Diff& diff) {
  const std::string body =
      head(before, after, diff) +
      "\n<main>\n<section id=\"environment\"><h2>Environment and programs</h2>" +
      html::fact_differences(diff) + "</section>\n<section id=\"checks\"><h2>Checks</h2>" +
      html::check_differences(diff, html::Names::Plain) +
      "</section>\n<section id=\"protections\"><h2>Protections</h2>" +
      html::protection_differences(diff) +
      "</section>\n<p class=\"end\">Made from the two files campaign.json alone; neither folder "
      "was "
      "verified for it.</p>\n</main>";
  return still_page("PyBox campaigns compared: " + before.id + " and " + after.id, body);
}

}  // namespace pybox::reports
