#include "reports/html/shell.hpp"

#include <fmt/core.h>

#include "base/digest.hpp"
#include "reports/html/assets.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports {
namespace {

std::string page(std::string_view title, std::string_view more_head, std::string_view body,
                 std::string_view script = "") {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; {}"
      "base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n{}<title>{}</title>\n"
      "<style>{}</style>\n</head>\n<body>\n{}\n{}</body>\n</html>\n",
      policy_source(style_sheet()),
      script.empty() ? "" : "script-src " + policy_source(script) + "; ", more_head,
      html_text(title), style_sheet(), body,
      script.empty() ? "" : "<script>" + std::string(script) + "</script>\n");
}

}  // namespace

std::string policy_source(std::string_view text) {
  const std::string hex = sha256_hex(text);
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string raw;
  for (std::size_t at = 0; at < hex.size(); at += 2)
    raw += static_cast<char>(digit(hex[at]) * 16 + digit(hex[at + 1]));
  return "'sha256-" + base64_encode(raw) + "'";
}

std::string still_page(std::string_view title, std::string_view body) {
  return page(title, "", body);
}

std::string scripted_page(std::string_view title, std::string_view body, std::string_view script) {
  return page(title, "", body, script);
}

std::string forwarding_page(std::string_view title, std::string_view address,
                            std::string_view body) {
  return page(
      title,
      fmt::format("<meta http-equiv=\"refresh\" content=\"0; url={}\">\n", html_text(address)),
      body);
}

}  // namespace pybox::reports
