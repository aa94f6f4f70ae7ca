#pragma once
/// The sections of report.html, each a pure function to HTML, and what they share.

#include <string>
#include <string_view>

#include "reports/html/page.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports::html {

/// Glyph, word and colour: `<span class="status s-held">…`.
std::string status(Verdict verdict);
std::string status(std::string_view whole_verdict);
/// The end of a class name: "held", "not-applicable".
std::string_view slug(Verdict verdict);
/// `<code>` around escaped text.
std::string code(std::string_view untrusted);
std::string codes(const std::vector<std::string>& untrusted);
/// The anchor of a check; unique for unique names, only letters, digits, '.', '_', '-'.
std::string anchor(std::string_view full_id);
/// A command with a button that copies it.
std::string command(std::string_view text);
/// Links to an attempt's blobs.
std::string files(const AttemptResult& attempt);
/// The attempt whose answer became the arm's; nullptr when it was never run.
const AttemptResult* deciding(const ArmResult& arm);
bool is_trouble(const Evidence& campaign, const CheckResult& check);

std::string head(const ReportInput& input);
std::string changes(const ReportInput& input);
std::string checks(const ReportInput& input);
std::string check(const CheckResult& check, const ReportInput& input);
std::string matrix(const ReportInput& input);
std::string curves(const ReportInput& input);
std::string not_proven(const ReportInput& input);
std::string verifying();
std::string appendix(const ReportInput& input);

/// A probe's line, as lines that can be compared: `key` is empty when it was no JSON object.
struct ProbeLine {
  std::string key, text;
};
std::vector<ProbeLine> probe_lines(const AttemptResult& attempt);

}  // namespace pybox::reports::html
