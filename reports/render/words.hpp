#pragma once
/// What all reports say in the same words: numbers, arms, commands, and hostile text made harmless
/// for each format.

#include <cstdint>
#include <string>
#include <string_view>

#include "campaign/model/evidence.hpp"

namespace pybox::reports {

using campaign::ArmResult;
using campaign::AttemptResult;
using campaign::CheckResult;
using campaign::Evidence;
using campaign::kVerdicts;
using campaign::Verdict;

/// Control, invisible and bidirectional characters and bytes that are no UTF-8 written as \xNN;
/// line ends and tabs kept. What comes out is valid XML text once it is escaped: U+FFFE and U+FFFF,
/// which XML 1.0 has no room for, are written out too.
std::string plain_text(std::string_view untrusted);
/// As plain_text, on one line.
std::string plain_line(std::string_view untrusted);
/// The first `limit` bytes, cut between characters, and how many bytes there were if some are
/// missing.
std::string shortened(std::string_view text, std::size_t limit);

/// For element content and quoted attribute values of HTML: plain_text with & < > " ' as
/// references.
std::string html_text(std::string_view untrusted);
/// A code span that nothing ends early: for any untrusted text in Markdown, also in a table cell.
std::string markdown_code(std::string_view untrusted);
/// Words with every character that Markdown or a forge might act on made inert.
std::string markdown_text(std::string_view untrusted);

/// "1,234"
std::string grouped(std::uint64_t number);
/// "0.084 s"
std::string seconds_text(Nanos time);
/// "1 check", "2 checks"
std::string counted(std::uint64_t number, std::string_view noun);

/// "✓" for held, and so on: never colour alone.
std::string_view glyph_of(Verdict verdict);
std::string_view glyph_of_whole(std::string_view verdict);

/// One sentence: what the campaign found.
std::string verdict_sentence(const Evidence& campaign);
/// "control (ns.net removed)", "only ns.net"
std::string arm_title(const ArmResult& arm);
/// Of all its attempts.
Nanos duration_of(const ArmResult& arm);
/// What an arm had to show, in words.
std::string expected_text(const ArmResult& arm);
/// Did the arm show what it had to?
bool as_expected(const ArmResult& arm);
/// What became of the checks that leave out a protection that is not proven:
/// "leftovers.chain@native is unmet", "no check of this campaign leaves it out".
std::string why_unproven(const Evidence& campaign, const std::string& protection);
/// `campaign run net.loopback --engine native --arm control`
std::string rerun_command(const CheckResult& check, std::string_view arm);
/// The commands that check the folder without PyBox, one a line, to be run inside it. A campaign
/// has two signed statements, a bench one.
enum class Statements { One, Two };
std::string verify_commands(Statements statements = Statements::Two);

/// RFC 3339 in UTC to milliseconds since 1970; 0 when it is no such time.
std::int64_t epoch_millis(std::string_view rfc3339);

}  // namespace pybox::reports
