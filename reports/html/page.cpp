#include "reports/html/page.hpp"

#include <fmt/core.h>

#include "reports/html/assets.hpp"
#include "reports/html/parts.hpp"
#include "reports/html/shell.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports {

std::string report_html(const ReportInput& input) {
  const Evidence& campaign = input.campaign;
  std::string out = "<a class=\"skip\" href=\"#checks\">Skip to the checks</a>\n";
  out += html::head(input) + "\n<main>\n";
  out += html::changes(input) + "\n" + html::checks(input) + "\n" + html::matrix(input) + "\n";
  out += html::curves(input) + "\n" + html::not_proven(input) + "\n";
  out += html::verifying() + "\n" + html::appendix(input) + "\n</main>\n";
  out += fmt::format(
      "<footer class=\"printed\" aria-hidden=\"true\">PyBox evidence · {} · {}</footer>",
      html_text(campaign.id), html_text(campaign.verdict));
  return scripted_page(campaign.verdict + ": PyBox campaign " + campaign.id, out, script());
}

}  // namespace pybox::reports
