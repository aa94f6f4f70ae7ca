#include "reports/html/page.hpp"

#include <catch2/catch_test_macros.hpp>

#include "reports/html/assets.hpp"
#include "reports/html/parts.hpp"
#include "sys/file.hpp"

namespace pybox::reports {
namespace {

Evidence load(const std::string& name) {
  return campaign::evidence_from_json(
             sys::read_file(REPORTS_SAMPLES "/" + name + "/campaign.json").value())
      .value();
}

/// The page without its own style and script: what was made from data.
std::string body_of(const std::string& page) {
  const std::size_t from = page.find("<body>");
  return page.substr(from, page.rfind("<script>") - from);
}

std::size_t count_of(const std::string& text, std::string_view word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST_CASE("hostile data adds no element and no attribute to the page") {
  const Evidence hostile = load("sample"), benign = load("benign"), before = load("before");
  const std::string one = body_of(report_html({hostile, &before, {}}));
  const std::string other = body_of(report_html({benign, &before, {}}));
  for (const char* word : {"<script", "<img", "<!--", "onload=\"", "style=\"", "</html"}) {
    INFO(word);
    CHECK(count_of(one, word) == 0);
  }
  for (const char* word : {"<section", "<details", "<svg", "<a ", "<button", "<h3"}) {
    INFO(word);
    CHECK(count_of(one, word) == count_of(other, word));
    CHECK(count_of(one, word) > 0);
  }
  CHECK(one.find("&lt;script&gt;") != std::string::npos);
  CHECK(one.find("\\u{202e}") != std::string::npos);
}

TEST_CASE(
    "the page is the same for the same campaign, and every anchor it links to is there once") {
  const Evidence campaign = load("sample"), before = load("before");
  const std::string page = report_html({campaign, &before, {}});
  CHECK(page == report_html({campaign, &before, {}}));
  for (auto at = page.find("href=\"#"); at != std::string::npos;
       at = page.find("href=\"#", at + 1)) {
    const std::string name = page.substr(at + 7, page.find('"', at + 7) - at - 7);
    INFO(name);
    CHECK(count_of(page, "id=\"" + name + "\"") == 1);
  }
}

TEST_CASE("the page asks nothing of a network and runs nothing but its own script") {
  const std::string page = report_html({load("benign"), nullptr, {}});
  CHECK(page.find("default-src 'none'; style-src 'sha256-") != std::string::npos);
  CHECK(page.find("http:") == std::string::npos);
  CHECK(page.find("https:") == std::string::npos);
  CHECK(count_of(page, "<script>") == 1);
  CHECK(count_of(page, "<style>") == 1);
  CHECK(script().find("</script") == std::string_view::npos);
  CHECK(script().find("innerHTML") == std::string_view::npos);
}

TEST_CASE("a probe's line becomes lines that can be compared") {
  AttemptResult attempt;
  attempt.nonce = "abc";
  attempt.line = R"({"pybox":"abc","proof":"x","n":[1,2],"signature":"s"})";
  const auto lines = html::probe_lines(attempt);
  REQUIRE(lines.size() == 3);  // the nonce would always differ
  CHECK(lines[0].key == "signature");
  CHECK(lines[1].key == "n");
  CHECK(lines[1].text == "[1,2]");
  attempt.line = "two\nlines\x1b";
  CHECK(html::probe_lines(attempt)[1].text == "lines\\x1b");
  CHECK(html::anchor("net.tcp@vm") == "check-net.tcp_vm");
  CHECK(html::anchor("a b\"@vm").starts_with("check--"));
}

}  // namespace
}  // namespace pybox::reports
