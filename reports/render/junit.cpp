#include "reports/render/junit.hpp"

#include <fmt/core.h>

#include <pugixml.hpp>

#include "reports/render/words.hpp"

namespace pybox::reports {
namespace {

constexpr std::size_t kOutputKept = 8192;

/// Text goes in through these two, made valid XML first: pugixml writes control characters as
/// references that no XML reader takes.
void set(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name) = plain_line(value).c_str();
}
void set_text(pugi::xml_node node, std::string_view value) {
  node.text().set(shortened(plain_text(value), kOutputKept).c_str());
}

std::string time_of(Nanos time) {
  const auto millis = time / Millis(1);
  return fmt::format("{}.{:03}", millis / 1000, millis % 1000);
}

struct Tally {
  std::uint64_t tests = 0, failures = 0, errors = 0, skipped = 0;
  Nanos duration{};
};

/// The arm that a verdict is laid to: the first that did not show what it had to.
const ArmResult* culprit_of(const CheckResult& check) {
  if (check.verdict == Verdict::Vacuous) return check.arm("control");
  if (check.verdict == Verdict::Broken || check.verdict == Verdict::Flaky) {
    return check.arm("protected");
  }
  for (const ArmResult& arm : check.arms) {
    if (!as_expected(arm)) return &arm;
  }
  return check.arms.empty() ? nullptr : &check.arms.front();
}

void add_problem(pugi::xml_node testcase, const char* element, const char* type,
                 const CheckResult& check, const ArmResult* arm) {
  pugi::xml_node problem = testcase.append_child(element);
  set(problem, "message", check.why);
  set(problem, "type", type);
  std::string text = check.claim + "\n" + check.why + "\n";
  if (arm != nullptr) {
    text += "expected: " + expected_text(*arm) + "\nobserved: " + arm->observed + "\n";
  }
  set_text(problem, text + rerun_command(check, arm != nullptr ? arm->arm : ""));
}

void add_verdict(pugi::xml_node testcase, const CheckResult& check, const ArmResult* arm,
                 Tally& tally) {
  if (check.verdict == Verdict::NotApplicable || check.verdict == Verdict::Unmet) {
    set(testcase.append_child("skipped"), "message",
        std::string(name_of(check.verdict)) + ": " + check.why);
    ++tally.skipped;
    return;
  }
  if (check.verdict == Verdict::Held || arm != culprit_of(check)) return;
  if (check.verdict == Verdict::Broken) {
    ++tally.failures;
    return add_problem(testcase, "failure", "ContainmentBroken", check, arm);
  }
  ++tally.errors;
  const bool silent = arm == nullptr || arm->observed == "silent" || arm->observed.empty();
  add_problem(testcase, "error",
              check.verdict == Verdict::Vacuous ? "VacuousControl"
              : check.verdict == Verdict::Flaky ? "Flaky"
              : silent                          ? "ProbeSilent"
                                                : "Unexpected",
              check, arm);
  if (check.verdict != Verdict::Flaky || arm == nullptr) return;
  for (const AttemptResult& attempt : arm->attempts) {
    pugi::xml_node flaky = testcase.append_child("flakyFailure");
    set(flaky, "message", fmt::format("attempt {}: {}", attempt.attempt, attempt.observed));
    set(flaky, "type", "Attempt");
  }
}

void add_output(pugi::xml_node testcase, const ArmResult& arm) {
  std::string text;
  for (const AttemptResult& attempt : arm.attempts) {
    text += fmt::format("attempt {}: {}\n{}\n", attempt.attempt, attempt.observed, attempt.line);
    for (const auto& [name, blob] :
         {std::pair{"report", attempt.report}, {"stdout", attempt.out}, {"stderr", attempt.err}}) {
      if (blob) text += fmt::format("{} raw/{}/{}\n", name, blob->substr(0, 2), blob->substr(2));
    }
  }
  if (!text.empty()) set_text(testcase.append_child("system-out"), text);
}

void add_check(pugi::xml_node suite, const CheckResult& check, Tally& tally) {
  const std::string classname = "pybox." + std::string(name_of(check.engine)) + "." + check.id;
  const auto add = [&](const std::string& name, const ArmResult* arm) {
    pugi::xml_node testcase = suite.append_child("testcase");
    set(testcase, "classname", classname);
    set(testcase, "name", name);
    const Nanos duration = arm != nullptr ? duration_of(*arm) : Nanos{};
    set(testcase, "time", time_of(duration));
    ++tally.tests;
    tally.duration += duration;
    add_verdict(testcase, check, arm, tally);
    if (arm != nullptr) add_output(testcase, *arm);
  };
  for (const ArmResult& arm : check.arms) add(arm_title(arm), &arm);
  if (check.arms.empty()) add("not run", nullptr);
}

void add_property(pugi::xml_node properties, std::string_view name, std::string_view value) {
  pugi::xml_node property = properties.append_child("property");
  set(property, "name", name);
  set(property, "value", value);
}

void set_tally(pugi::xml_node node, const Tally& tally) {
  set(node, "tests", std::to_string(tally.tests));
  set(node, "failures", std::to_string(tally.failures));
  set(node, "errors", std::to_string(tally.errors));
}

struct StringWriter : pugi::xml_writer {
  std::string text;
  void write(const void* data, std::size_t size) override {
    text.append(static_cast<const char*>(data), size);
  }
};

Tally add_suite(pugi::xml_node root, const Evidence& campaign, const std::string& group,
                const std::vector<const CheckResult*>& checks) {
  pugi::xml_node suite = root.append_child("testsuite");
  set(suite, "name", group);
  pugi::xml_node properties = suite.append_child("properties");
  add_property(properties, "campaign", campaign.id);
  add_property(properties, "plan_sha256", campaign.plan_sha256);
  add_property(properties, "events_sha256", campaign.events_sha256);
  for (const auto& [name, digest] : campaign.tools)
    add_property(properties, "tool." + name, digest);
  Tally tally;
  for (const CheckResult* check : checks) add_check(suite, *check, tally);
  set_tally(suite, tally);
  set(suite, "skipped", std::to_string(tally.skipped));
  set(suite, "time", time_of(tally.duration));
  // Without a zone, as the schemas want it; it is UTC.
  set(suite, "timestamp", std::string_view(campaign.started).substr(0, 19));
  set(suite, "hostname", "redacted");
  return tally;
}

}  // namespace

std::string junit_xml(const Evidence& campaign) {
  std::map<std::string, std::vector<const CheckResult*>> groups;
  for (const CheckResult& check : campaign.checks) {
    groups[check.area + ": " + check.group].push_back(&check);
  }
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("testsuites");
  set(root, "name", "PyBox campaign " + campaign.id);
  Tally sum;
  for (const auto& [group, checks] : groups) {
    const Tally tally = add_suite(root, campaign, group, checks);
    sum.tests += tally.tests;
    sum.failures += tally.failures;
    sum.errors += tally.errors;
    sum.duration += tally.duration;
  }
  set_tally(root, sum);
  set(root, "time", time_of(sum.duration));
  StringWriter writer;
  document.save(writer, " ", pugi::format_indent, pugi::encoding_utf8);
  return writer.text;
}

}  // namespace pybox::reports
