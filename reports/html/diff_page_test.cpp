#include "reports/html/diff_page.hpp"

#include <catch2/catch_test_macros.hpp>

#include "sys/file.hpp"

namespace pybox::reports {
namespace {

Evidence sample(const std::string& name) {
  return campaign::evidence_from_json(
             sys::read_file(REPORTS_SAMPLES "/" + name + "/campaign.json").value())
      .value();
}

std::string page_of(const Evidence& before, const Evidence& after) {
  return diff_html(before, after, diff_campaigns(before, after));
}

std::size_t times_in(const std::string& text, std::string_view word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("the page of a diff says first what got worse, and is the same every time") {
  const Evidence before = sample("before");
  const Evidence after = sample("sample");
  const std::string page = page_of(before, after);
  CHECK(page == page_of(before, after));
  CHECK(page.find("Evidence was lost") < page.find("Environment and programs"));
  CHECK(page.find("Environment and programs") < page.find("<h2>Checks</h2>"));
  CHECK(page_of(before, before).find("Nothing got worse") != std::string::npos);
}

TEST_CASE("hostile data adds no element to the page of a diff, which asks nothing of a network") {
  Evidence before = sample("before");
  before.environment["note"] = "another one";  // differs from both
  const std::string hostile = page_of(before, sample("sample"));
  const std::string benign = page_of(before, sample("benign"));
  for (const char* const word : {"<section", "<tr", "<td", "<th", "<code", "<details", "<span"}) {
    INFO(word);
    CHECK(times_in(hostile, word) == times_in(benign, word));
  }
  for (const char* const word : {"<script", "<img", "onload=\"", "style=\"", "http:", "https:"}) {
    INFO(word);
    CHECK(times_in(hostile, word) == 0);
  }
  CHECK(hostile.find("default-src 'none'; style-src 'sha256-") != std::string::npos);
}

}  // namespace pybox::reports
