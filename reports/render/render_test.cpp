#include <catch2/catch_test_macros.hpp>
#include <string>

#include "cli/terminal/golden_for_tests.hpp"
#include "reports/render/ctrf.hpp"
#include "reports/render/diff_text.hpp"
#include "reports/render/junit.hpp"
#include "reports/render/summary.hpp"
#include "reports/render/words.hpp"
#include "sys/file.hpp"

namespace pybox::reports {
namespace {

Evidence load(const std::string& name) {
  return campaign::evidence_from_json(
             sys::read_file(REPORTS_SAMPLES "/" + name + "/campaign.json").value())
      .value();
}

std::size_t count_of(const std::string& text, std::string_view word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

/// What does not stand in code spans: there a reader's browser takes nothing for markup.
std::string outside_code(const std::string& markdown) {
  std::string outside;
  for (std::size_t at = 0; at < markdown.size();) {
    const std::size_t open = std::min(markdown.find('`', at), markdown.size());
    outside += markdown.substr(at, open - at);
    const std::size_t end = std::min(markdown.find_first_not_of('`', open), markdown.size());
    const std::size_t close = markdown.find(markdown.substr(open, end - open), end);
    at = open == end || close == std::string::npos ? end : close + (end - open);
  }
  return outside;
}

bool has_control(const std::string& text) {
  for (const char c : text) {
    if ((c >= 0 && c < 0x20 && c != '\n' && c != '\t') || c == 0x7F) return true;
  }
  return false;
}

TEST_CASE("hostile text is made visible and inert for each format") {
  CHECK(plain_text("a\x1b[2J\n\xff\xEF\xBF\xBE") == "a\\x1b[2J\n\\xff\\u{fffe}");
  CHECK(html_text("<a href='x'>&\"") == "&lt;a href=&#39;x&#39;&gt;&amp;&quot;");
  CHECK(markdown_code("a`b``c|d\ne") == "```a`b``c\\|d\\x0ae```");
  CHECK(markdown_code("`") == "`` ` ``");
  CHECK(markdown_code("") == "–");
  CHECK(markdown_text("[x](http://a) <b> @you") == "\\[x\\]\\(http\\: \\/\\/a\\) &lt;b\\> (at)you");
  CHECK(shortened("äää", 3) == "ä… (6 bytes in all)");
  CHECK(grouped(1234567) == "1,234,567");
  CHECK(grouped(999) == "999");
  CHECK(epoch_millis("2026-11-30T12:34:56.789Z") == 1796042096789);
  CHECK(epoch_millis("1970-01-01T00:00:00Z") == 0);
  CHECK(epoch_millis("yesterday") == 0);
}

TEST_CASE("a command to run a check again cannot hold more than the check's name") {
  CheckResult check;
  check.id = "a; rm -rf ~";
  check.engine = EngineKind::Vm;
  CHECK(rerun_command(check, "control") == "campaign run 'a; rm -rf ~' --engine vm --arm control");
  check.id = "x' `id`";
  CHECK(rerun_command(check, "") == "campaign run 'x'\\'' `id`' --engine vm");
}

TEST_CASE("junit.xml has a testcase for each arm and lays each verdict to one of them") {
  const Evidence campaign = load("sample");
  const std::string xml = junit_xml(campaign);
  std::size_t arms = 0;
  for (const CheckResult& check : campaign.checks)
    arms += std::max<std::size_t>(check.arms.size(), 1);
  CHECK(count_of(xml, "<testcase ") == arms);
  CHECK(count_of(xml, "<failure ") == campaign.count(Verdict::Broken));
  CHECK(count_of(xml, "<error ") == campaign.count(Verdict::Vacuous) +
                                        campaign.count(Verdict::Error) +
                                        campaign.count(Verdict::Flaky));
  CHECK(count_of(xml, "<flakyFailure ") == 4);
  CHECK(xml.find("type=\"VacuousControl\"") != std::string::npos);
  CHECK(xml.find("type=\"ProbeSilent\"") != std::string::npos);
  CHECK_FALSE(has_control(xml));
  CHECK(xml == junit_xml(load("sample")));
  CHECK(count_of(xml, "<testcase ") == count_of(junit_xml(load("benign")), "<testcase "));
}

TEST_CASE("summary.md says what did not hold and cannot be made to say more") {
  const Evidence campaign = load("sample");
  const Evidence before = load("before");
  const std::string text = summary_markdown(campaign, &before);
  CHECK(text.starts_with("# ✗ PyBox campaign: broken\n\n45 checks: 38 held, 1 broken, 1 vacuous"));
  CHECK(text.find("`time.set@vm`") != std::string::npos);
  CHECK(text.find("6.12.57") != std::string::npos);
  CHECK(text.find("| worse | `old.check@native` | held → gone | – |") != std::string::npos);
  const std::string outside = outside_code(text);
  CHECK(outside_code("a `b` ``c`d`` e") == "a   e");
  CHECK(outside.find("Since then") != std::string::npos);
  for (const char* word : {"<img", "<script", "](java", "onload=", "http:"}) {
    INFO(word);
    CHECK(outside.find(word) == std::string::npos);
  }
  CHECK(text.find("\n::") == std::string::npos);
  CHECK_FALSE(has_control(text));
  CHECK(count_of(summary_markdown(campaign, nullptr), "\n") ==
        count_of(summary_markdown(load("benign"), nullptr), "\n"));
}

TEST_CASE("the text of a diff is what its golden file says, and safe to print") {
  const Evidence before = load("before");
  const Evidence after = load("sample");
  const std::string text = diff_text(before, after, diff_campaigns(before, after));
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("\u202e") == std::string::npos);
  check_golden("reports/render/golden/diff.txt", text);
}

TEST_CASE("a protection that is not proven is told with what became of its checks") {
  Evidence campaign;
  const auto add = [&](const char* id, Verdict verdict, std::vector<std::string> removed) {
    CheckResult check;
    check.id = id;
    check.engine = EngineKind::Native;
    check.verdict = verdict;
    check.arms.resize(2);
    check.arms[0].arm = "protected";
    check.arms[1].arm = "control";
    check.arms[1].removed = std::move(removed);
    campaign.checks.push_back(check);
  };
  add("a.unmet", Verdict::Unmet, {"cg.kill"});
  add("b.two", Verdict::Held, {"cg.kill", "ns.pid"});
  CHECK(why_unproven(campaign, "cg.kill") ==
        "a.unmet@native is unmet, b.two@native is held, and not by it alone");
  CHECK(why_unproven(campaign, "ns.pid") == "b.two@native is held, and not by it alone");
  CHECK(why_unproven(campaign, "cg.swap") == "no check of this campaign leaves it out");
  campaign.protections = {{"cg.swap", false}, {"cg.mem", false}, {"ns.pid", false}};
  const std::string text = summary_markdown(campaign, nullptr);
  CHECK(text.find("- `cg.mem`, `cg.swap`: no check of this campaign leaves it out\n") !=
        std::string::npos);
}

}  // namespace
}  // namespace pybox::reports
