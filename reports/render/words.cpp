#include "reports/render/words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/join.hpp"
#include "base/text.hpp"

namespace pybox::reports {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

std::string xml_fit(std::string text) {
  replace_all(text, "\xEF\xBF\xBE", "\\u{fffe}");
  replace_all(text, "\xEF\xBF\xBF", "\\u{ffff}");
  return text;
}

/// What a shell takes for one word as it is.
bool is_shell_word(std::string_view text) {
  static constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:/@+=,";
  return !text.empty() && text.find_first_not_of(kSafe) == std::string_view::npos;
}

std::string shell_word(std::string_view text) {
  if (is_shell_word(text)) return std::string(text);
  std::string quoted = plain_line(text);
  replace_all(quoted, "'", "'\\''");
  return "'" + quoted + "'";
}

}  // namespace

std::string plain_text(std::string_view untrusted) {
  return xml_fit(visible(untrusted, Lines::Keep));
}

std::string plain_line(std::string_view untrusted) { return xml_fit(visible(untrusted)); }

std::string shortened(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  return std::string(cut_at_character(text.substr(0, limit))) +
         fmt::format("… ({} bytes in all)", grouped(text.size()));
}

std::string html_text(std::string_view untrusted) {
  std::string out;
  for (const char c : plain_text(untrusted)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string markdown_code(std::string_view untrusted) {
  std::string text = plain_line(untrusted);
  if (text.empty()) return "–";
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  // A table ends a cell at a bar even inside code (GFM); escaped, it does not.
  replace_all(text, "|", "\\|");
  const std::string fence(longest + 1, '`');
  const bool pad = text.front() == '`' || text.back() == '`' || text.back() == '\\';
  return fence + (pad ? " " : "") + text + (pad ? " " : "") + fence;
}

std::string markdown_text(std::string_view untrusted) {
  static constexpr std::string_view kActive = "!\"#$%&'()*+,-./:;<=>?[\\]^_`{|}~";
  std::string out;
  for (const char c : plain_line(untrusted)) {
    if (c == '@') {
      out += "(at)";  // a forge would call that person
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (kActive.find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  // Forges make links of these even in escaped text.
  replace_all(out, "www\\.", "www\\. ");
  replace_all(out, "\\:\\/\\/", "\\: \\/\\/");
  return out;
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string seconds_text(Nanos time) {
  const auto millis = time / Millis(1);
  return fmt::format("{}.{:03} s", millis / 1000, millis % 1000);
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

std::string_view glyph_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Held: return "✓";
    case Verdict::Broken: return "✗";
    case Verdict::Vacuous: return "∅";
    case Verdict::NotApplicable: return "–";
    case Verdict::Unmet: return "○";
    case Verdict::Error: return "!";
    case Verdict::Flaky: return "≈";
  }
  return "?";
}

std::string_view glyph_of_whole(std::string_view verdict) {
  const auto known = campaign::verdict_from(verdict);
  return known ? glyph_of(*known) : "…";
}

std::string verdict_sentence(const Evidence& campaign) {
  const auto& proven = campaign.proven();
  std::string counts;
  for (const Verdict verdict : {Verdict::Held, Verdict::Broken, Verdict::Vacuous, Verdict::Error,
                                Verdict::Flaky, Verdict::NotApplicable, Verdict::Unmet}) {
    const std::uint64_t count = campaign.count(verdict);
    const bool always =
        verdict == Verdict::Held || verdict == Verdict::Broken || verdict == Verdict::Vacuous;
    if (count == 0 && !always) continue;
    if (!counts.empty()) counts += ", ";
    counts += grouped(count) + " " + std::string(name_of(verdict));
  }
  std::string sentence = fmt::format("{}: {}; {} of {} protections proven by a control.",
                                     counted(campaign.checks.size(), "check"), counts, proven,
                                     campaign.protections.size());
  if (!campaign.complete) sentence += " The campaign was interrupted.";
  return sentence;
}

std::string arm_title(const ArmResult& arm) {
  if (arm.arm.starts_with("only:")) return "only " + arm.arm.substr(5);
  if (arm.removed.empty()) return arm.arm;
  return arm.arm + " (" + join(arm.removed, ", ") + " removed)";
}

Nanos duration_of(const ArmResult& arm) {
  Nanos sum{};
  for (const AttemptResult& attempt : arm.attempts) sum += attempt.duration;
  return sum;
}

std::string expected_text(const ArmResult& arm) {
  return arm.expected.empty() ? "anything but reached" : join(arm.expected, " or ");
}

bool as_expected(const ArmResult& arm) {
  if (arm.expected.empty()) {
    static constexpr std::string_view kNoAnswer[] = {"",       "reached",  "trouble",  "silent",
                                                     "forged", "unproven", "malformed"};
    return std::find(std::begin(kNoAnswer), std::end(kNoAnswer), arm.observed) ==
           std::end(kNoAnswer);
  }
  return std::find(arm.expected.begin(), arm.expected.end(), arm.observed) != arm.expected.end();
}

std::string why_unproven(const Evidence& campaign, const std::string& protection) {
  std::string why;
  for (const CheckResult& check : campaign.checks) {
    const ArmResult* control = check.arm("control");
    if (control == nullptr || std::find(control->removed.begin(), control->removed.end(),
                                        protection) == control->removed.end())
      continue;
    why += (why.empty() ? "" : ", ") + full_id(check) +
           (check.verdict == Verdict::Held ? " is held, and not by it alone"
                                           : " is " + std::string(name_of(check.verdict)));
  }
  return why.empty() ? "no check of this campaign leaves it out" : why;
}

std::string rerun_command(const CheckResult& check, std::string_view arm) {
  return "campaign run " + shell_word(check.id) + " --engine " +
         std::string(name_of(check.engine)) + (arm.empty() ? "" : " --arm " + shell_word(arm));
}

std::string verify_commands(Statements statements) {
  constexpr std::string_view kBefore = R"SH(sha256sum --check --quiet --strict manifest.sha256
ssh-keygen -Y verify -f allowed_signers -I evidence@pybox -n pybox-evidence -s manifest.sha256.sshsig < manifest.sha256
t=$(mktemp -d)
python3 -c 'import base64,json,sys
for n,line in enumerate(open("evidence.intoto.jsonl","rb"),1):
  e=json.loads(line);d=base64.b64decode;p=d(e["payload"]);k=e["payloadType"].encode()
  for name,text in (("pae",b"DSSEv1 %d %s %d %s"%(len(k),k,len(p),p)),("sig",d(e["signatures"][0]["sig"])),("statement",p)):
    open("%s/%s%d"%(sys.argv[1],name,n),"wb").write(text)' "$t"
)SH";
  constexpr std::string_view kAfter = R"SH(; do
  openssl pkeyutl -verify -rawin -pubin -inkey evidence.pub -in "$t/pae$n" -sigfile "$t/sig$n" &&
    grep -q "$(sha256sum < manifest.sha256 | cut -c1-64)" "$t/statement$n" &&
    echo "statement $n names this manifest" || echo "statement $n does NOT hold"
done)SH";
  const std::string_view loop = statements == Statements::Two ? "for n in 1 2" : "for n in 1";
  return std::string(kBefore) + std::string(loop) + std::string(kAfter);
}

std::int64_t epoch_millis(std::string_view text) {
  const auto number = [&](std::size_t at, std::size_t size) -> std::int64_t {
    std::int64_t value = -1;
    if (text.size() < at + size) return -1;
    const char* const end = text.data() + at + size;
    return std::from_chars(text.data() + at, end, value).ptr == end ? value : -1;
  };
  std::array<std::int64_t, 6> part{};
  static constexpr std::array<std::size_t, 6> kAt{0, 5, 8, 11, 14, 17};
  for (std::size_t i = 0; i < part.size(); ++i) {
    part[i] = number(kAt[i], i == 0 ? 4 : 2);
    if (part[i] < 0) return 0;
  }
  const std::int64_t fraction = text.size() > 23 && text[19] == '.' ? number(20, 3) : 0;
  // Days since 1970 of the Gregorian calendar, years beginning in March (leap days come last).
  const std::int64_t year = part[0] - (part[1] <= 2 ? 1 : 0);
  const std::int64_t day_of_year = (153 * (part[1] + (part[1] > 2 ? -3 : 9)) + 2) / 5 + part[2] - 1;
  const std::int64_t era = year / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t days =
      era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - 719468;
  return ((days * 24 + part[3]) * 60 + part[4]) * 60000 + part[5] * 1000 +
         std::max<std::int64_t>(fraction, 0);
}

}  // namespace pybox::reports
