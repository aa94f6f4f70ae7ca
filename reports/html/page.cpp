#include "reports/html/page.hpp"

#include <fmt/core.h>

#include "reports/html/assets.hpp"
#include "reports/html/parts.hpp"
#include "reports/html/shell.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports {
std::string report_html(const ReportInput& input) {
  const Campaign& campaign = input.campaign;
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "{}; script-src {}; img-src data:; base-uri 'none'; form-action 'none'\">\n",
      policy_source(style_sheet()), policy_source(script()));
  out +=
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" "
      "content=\"no-referrer\">\n";
  out += fmt::format("<title>{}: PyBox campaign {}</title>\n", html_text(campaign.verdict),
                     html_text(campaign.id));
  out += "<style>" + std::string(style_sheet()) + "</style>\n</head>\n<body>\n";
  out += "<a class=\"skip\" href=\"#checks\">Skip to the checks</a>\n";
  out += html::head(input) + "\n<main>\n";
  out += html::changes(input) + "\n" + html::checks(input) + "\n" + html::matrix(input) + "\n";
  out += html::curves(input) + "\n" + html::not_proven(input) + "\n";
  out += html::verifying() + "\n" + html::appendix(input) + "\n</main>\n";
  out += fmt::format(
      "<footer class=\"printed\" aria-hidden=\"true\">PyBox evidence · {} · {}</footer>\n",
      html_text(campaign.id), html_text(campaign.verdict));
  return out + "<script>" + std::string(script()) + "</script>\n</body>\n</html>\n";
}

}  // namespace pybox::reports
