#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "reports/html/parts.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports::html {
namespace {

std::string observed(const ArmResult& arm) {
  return fmt::format(R"({} <span class="fit {}">{}</span>)", code(shortened(arm.observed, 200)),
                     as_expected(arm) ? "yes" : "no",
                     as_expected(arm) ? "✓ as expected" : "✗ not expected");
}

/// A control arm's seal must differ, and by exactly what was left out.
std::string seal(const ArmResult& arm) {
  const AttemptResult* const attempt = deciding(arm);
  if (attempt == nullptr || !attempt->seal) return R"(<span class="none">no box</span>)";
  const campaign::SealFacts& seal = *attempt->seal;
  const std::set<std::string> differs(seal.differs.begin(), seal.differs.end());
  const std::set<std::string> removed(arm.removed.begin(), arm.removed.end());
  if (!removed.empty()) {
    return fmt::format(
        "{} checked; differs by {}{}", grouped(seal.checks),
        differs == removed ? "exactly " : "<strong>something else</strong>: ", codes(seal.differs));
  }
  return fmt::format("{}; {} checked; {}",
                     seal.verified ? "verified" : "<strong>not verified</strong>",
                     grouped(seal.checks),
                     seal.differs.empty() ? "no difference" : "differs by " + codes(seal.differs));
}

/// One row of the pair table; an absent arm leaves its cell empty.
class PairTable {
 public:
  PairTable(const ArmResult* left, const ArmResult* right) : left_(left), right_(right) {}

  template <class Cell>
  void row(std::string_view name, Cell cell) {
    out_ += fmt::format(R"(<tr><th scope="row">{}</th><td>{}</td><td>{}</td></tr>)", name,
                        left_ ? cell(*left_) : kNone, right_ ? cell(*right_) : kNone);
  }

  /// The probe's own lines, aligned by key; the first that differs is marked.
  void add_lines() {
    const auto lines = [](const ArmResult* arm) {
      const AttemptResult* const attempt = arm != nullptr ? deciding(*arm) : nullptr;
      return attempt != nullptr ? probe_lines(*attempt) : std::vector<ProbeLine>();
    };
    std::vector<ProbeLine> left = lines(left_), right = lines(right_);
    align(left, right);
    bool marked = left_ == nullptr || right_ == nullptr;
    for (std::size_t at = 0; at < left.size(); ++at) {
      const bool first = !marked && left[at].text != right[at].text;
      marked = marked || first;
      const std::string& key = left[at].key.empty() ? right[at].key : left[at].key;
      out_ += fmt::format(R"(<tr class="{}"><th scope="row">{}{}</th><td>{}</td><td>{}</td></tr>)",
                          first ? "probe first" : "probe",
                          key.empty() ? "line" : "<code>" + html_text(key) + "</code>",
                          first ? R"(<span class="mark">▸ first difference</span>)" : "",
                          text(left[at]), text(right[at]));
    }
  }

  const std::string& rows() const { return out_; }

 private:
  static constexpr const char* kNone = R"(<span class="none">not run</span>)";

  static std::string text(const ProbeLine& line) {
    if (line.text.empty()) return R"(<span class="none">–</span>)";
    return "<pre dir=\"auto\">" + html_text(line.text) + "</pre>";
  }

  /// Makes both lists equally long, keys of objects beside each other.
  static void align(std::vector<ProbeLine>& left, std::vector<ProbeLine>& right) {
    const auto has_key = [](const std::vector<ProbeLine>& lines, const std::string& key) {
      return std::any_of(lines.begin(), lines.end(), [&](const auto& l) { return l.key == key; });
    };
    for (std::size_t at = 0; at < std::max(left.size(), right.size()); ++at) {
      if (at >= left.size()) {
        left.push_back({});
      } else if (at >= right.size()) {
        right.push_back({});
      } else if (left[at].key != right[at].key) {
        const bool right_only = !has_key(left, right[at].key);
        auto& gap = right_only ? left : right;
        gap.insert(gap.begin() + static_cast<std::ptrdiff_t>(at), ProbeLine{});
      }
    }
  }

  const ArmResult* left_;
  const ArmResult* right_;
  std::string out_;
};

std::string pair_table(const CheckResult& check) {
  const ArmResult* const left = check.arm("protected");
  const ArmResult* const right = check.arm("control");
  if (left == nullptr && right == nullptr) return "";
  PairTable table(left, right);
  table.row("Left out", [](const ArmResult& arm) { return codes(arm.removed); });
  table.row("Must show", [](const ArmResult& arm) { return html_text(expected_text(arm)); });
  table.row("Showed", observed);
  table.row("Seal", seal);
  table.add_lines();
  table.row("Time", [](const ArmResult& arm) {
    const AttemptResult* const attempt = deciding(arm);
    return attempt ? seconds_text(attempt->duration) : std::string("–");
  });
  table.row("Raw files", [](const ArmResult& arm) {
    const AttemptResult* const attempt = deciding(arm);
    return attempt ? files(*attempt) : std::string("–");
  });
  table.row("Run again",
            [&](const ArmResult& arm) { return command(rerun_command(check, arm.arm)); });
  return R"(<div class="scroll"><table class="pair"><caption class="sr">Protected and control side by side</caption>)"
         R"(<thead><tr><td></td><th scope="col">Protected <span>every protection on</span></th>)"
         R"(<th scope="col">Control <span>only the cut set left out</span></th></tr></thead><tbody>)" +
         table.rows() + "</tbody></table></div>";
}

std::string other_arms(const CheckResult& check) {
  std::string rows;
  for (const ArmResult& arm : check.arms) {
    if (arm.arm == "protected" || arm.arm == "control") continue;
    const AttemptResult* const attempt = deciding(arm);
    rows += fmt::format(
        R"(<tr><th scope="row">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>)",
        html_text(arm.arm.starts_with("only:") ? "only " + arm.arm.substr(5) + " on" : arm.arm),
        codes(arm.removed), html_text(expected_text(arm)), observed(arm),
        attempt ? files(*attempt) : "–", command(rerun_command(check, arm.arm)));
  }
  if (rows.empty()) return "";
  return R"(<div class="scroll"><table class="plain arms"><caption>Other arms</caption><thead><tr><th scope="col">Arm</th>)"
         R"(<th scope="col">Left out</th><th scope="col">Must show</th><th scope="col">Showed</th><th scope="col">Raw files</th>)"
         R"(<th scope="col">Run again</th></tr></thead><tbody>)" +
         rows + "</tbody></table></div>";
}

/// Arms that were run more than once, with every attempt: failed ones are kept.
std::string attempts(const CheckResult& check) {
  std::string rows;
  for (const ArmResult& arm : check.arms) {
    if (arm.attempts.size() < 2) continue;
    for (const AttemptResult& attempt : arm.attempts) {
      rows += fmt::format(
          R"(<tr><th scope="row">{} {}</th><td>{}</td><td>{}</td><td class="n">{}</td><td>{}</td></tr>)",
          html_text(arm.arm), attempt.attempt, code(shortened(attempt.observed, 200)),
          html_text(shortened(attempt.why, 300)), seconds_text(attempt.duration), files(attempt));
    }
  }
  if (rows.empty()) return "";
  return R"(<div class="scroll"><table class="plain"><caption>Every attempt</caption><thead><tr><th scope="col">Attempt</th>)"
         R"(<th scope="col">Showed</th><th scope="col">Why</th><th scope="col" class="n">Time</th><th scope="col">Raw files</th></tr></thead><tbody>)" +
         rows + "</tbody></table></div>";
}

/// What the last campaigns said about this check, this one last.
std::string strip(const CheckResult& check, const ReportInput& input) {
  if (input.history.empty()) return "<span></span>";
  const std::string id = full_id(check);
  std::string squares, words;
  for (const PastRun& run : input.history) {
    const auto found = run.checks.find(id);
    if (found == run.checks.end()) {
      squares += R"(<i class="s-absent">·</i>)";
      words += "absent, ";
      continue;
    }
    squares +=
        fmt::format(R"(<i class="s-{}">{}</i>)", slug(found->second), glyph_of(found->second));
    words += std::string(name_of(found->second)) + ", ";
  }
  squares +=
      fmt::format(R"(<i class="s-{} now">{}</i>)", slug(check.verdict), glyph_of(check.verdict));
  return fmt::format(R"(<span class="strip" role="img" aria-label="history: {}{}">{}</span>)",
                     words, name_of(check.verdict), squares);
}

Nanos total_duration(const CheckResult& check) {
  Nanos sum{};
  for (const ArmResult& arm : check.arms) sum += duration_of(arm);
  return sum;
}

bool has_series(const CheckResult& check) {
  return std::any_of(check.arms.begin(), check.arms.end(), [](const ArmResult& arm) {
    const AttemptResult* const attempt = deciding(arm);
    return attempt != nullptr && !attempt->series.empty();
  });
}

}  // namespace

std::string check(const CheckResult& check, const ReportInput& input) {
  std::string out = fmt::format(
      R"(<details class="check" id="{}" data-status="{}" data-engine="{}" data-area="{}"{}><summary>)",
      anchor(full_id(check)), slug(check.verdict), name_of(check.engine), html_text(check.area),
      is_trouble(input.campaign, check) ? " open" : "");
  out += fmt::format(
      R"({}<span class="id">{}<span class="engine">{}</span></span><span class="claim" dir="auto">{}</span>{}<span class="time n">{}</span></summary>)",
      status(check.verdict), html_text(check.id), name_of(check.engine),
      html_text(shortened(check.claim, 500)), strip(check, input),
      check.arms.empty() ? "–" : seconds_text(total_duration(check)));
  out += fmt::format(R"(<div class="body"><p class="why" dir="auto">{}</p>)",
                     html_text(shortened(check.why, 2000)));
  if (!check.redundant.empty()) {
    out +=
        R"(<p class="note">Not proven by this check, since the attack came through with it alone: )" +
        codes(check.redundant) + "</p>";
  }
  if (has_series(check)) {
    out +=
        fmt::format(R"(<p class="note"><a href="#curve-{}">Memory, process and CPU curves</a></p>)",
                    anchor(full_id(check)));
  }
  out += pair_table(check) + other_arms(check) + attempts(check);
  if (check.arms.empty()) out += command(rerun_command(check, ""));
  return out + "</div></details>";
}

}  // namespace pybox::reports::html
