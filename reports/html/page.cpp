#include "reports/html/page.hpp"

#include <fmt/core.h>

#include "base/digest.hpp"
#include "reports/html/assets.hpp"
#include "reports/html/parts.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports {
namespace {

std::string base64_sha256(std::string_view text) {
  const std::string hex = sha256_hex(text);
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string raw;
  for (std::size_t at = 0; at < hex.size(); at += 2) {
    raw += static_cast<char>(digit(hex[at]) * 16 + digit(hex[at + 1]));
  }
  return base64_encode(raw);
}

}  // namespace

std::string report_html(const ReportInput& input) {
  const Campaign& campaign = input.campaign;
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'sha256-{}'; "
      "script-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'\">\n",
      base64_sha256(style_sheet()), base64_sha256(script()));
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
