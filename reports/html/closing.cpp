#include <fmt/core.h>

#include <algorithm>

#include "reports/html/parts.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports::html {
namespace {

struct Reason {
  Verdict verdict;
  std::string_view title, meaning;
};
constexpr Reason kReasons[] = {
    {Verdict::Broken, "Broken",
     "The attack came through with every protection on, and did so again."},
    {Verdict::Error, "No usable answer",
     "The probe was silent, or the harness was in trouble: nothing is known."},
    {Verdict::Vacuous, "Vacuous",
     "The attack failed without the protection too, so its failure with it proves nothing."},
    {Verdict::Flaky, "Flaky", "Repetitions disagree."},
    {Verdict::Unmet, "Could not run here", "This host lacks what the check needs."},
    {Verdict::NotApplicable, "Not applicable",
     "This kernel or processor has no such thing to attack."},
};

std::string list_of(const Reason& reason, const Evidence& campaign) {
  std::string rows;
  for (const CheckResult& check : campaign.checks) {
    if (check.verdict != reason.verdict) continue;
    const bool expected = check.verdict == Verdict::Unmet && !is_trouble(campaign, check);
    rows += fmt::format(
        R"(<tr><th scope="row"><a href="#{}">{}</a></th><td dir="auto">{}</td><td dir="auto">{}{}</td></tr>)",
        anchor(full_id(check)), html_text(full_id(check)), html_text(shortened(check.claim, 300)),
        html_text(shortened(check.why, 300)),
        expected ? R"( <span class="tag">expected here</span>)" : "");
  }
  if (rows.empty()) return "";
  return fmt::format(
      R"(<div class="scroll"><table class="plain three"><caption>{} {}</caption><thead><tr><th scope="col">Check</th><th scope="col">Claim</th><th scope="col">Why</th></tr></thead><tbody>{}</tbody></table></div>)",
      status(reason.verdict), reason.meaning, rows);
}

std::string redundant(const Evidence& campaign) {
  std::string rows;
  for (const CheckResult& check : campaign.checks) {
    if (check.redundant.empty()) continue;
    rows += fmt::format(R"(<li><a href="#{}">{}</a>: {}</li>)", anchor(full_id(check)),
                        html_text(full_id(check)), codes(check.redundant));
  }
  if (rows.empty()) return "";
  return "<h3>Layers that did not stop it alone</h3><p class=\"quiet-text\">Another protection of "
         "the set "
         "did. They may still stop other attacks.</p><ul>" +
         rows + "</ul>";
}

constexpr std::string_view kOutOfScope =
    R"(<h3>Out of scope</h3><ul><li>That the kernel, QEMU or the processor is free of flaws: the checks try known ways.</li>)"
    R"(<li>Side channels: timing, caches, the shared page cache of an image.</li>)"
    R"(<li>That without KVM the VM is a hardware boundary. It is not; the environment below names the accelerator.</li>)"
    R"(<li>That other hosts, kernels or versions behave alike: these results belong to the programs and the environment below.</li>)"
    R"(<li>That whoever signed this was honest. Run the checks again yourself.</li></ul>)";

enum class Values { Text, Digests };

std::string facts_table(std::string_view caption, const std::map<std::string, std::string>& facts,
                        Values kind) {
  std::string rows;
  for (const auto& [name, value] : facts) {
    const std::string text = shortened(value, 2000);
    rows += fmt::format(
        R"(<tr><th scope="row">{}</th><td><span class="value" dir="auto">{}</span></td></tr>)",
        html_text(name), kind == Values::Digests ? code(text) : html_text(text));
  }
  return fmt::format(
      R"(<div class="scroll"><table class="plain facts-table"><caption>{}</caption><tbody>{}</tbody></table></div>)",
      caption, rows);
}

}  // namespace

std::string not_proven(const ReportInput& input) {
  const Evidence& campaign = input.campaign;
  std::string out = R"(<section id="not-proven"><h2>What is not proven</h2>)";
  std::string names;
  for (const auto& [name, proven] : campaign.protections) {
    if (!proven)
      names += "<li>" + code(name) + " <span class=\"quiet-text\">" +
               html_text(shortened(why_unproven(campaign, name), 300)) + "</span></li>";
  }
  if (names.empty()) {
    out += "<p>Every protection is proven by at least one control.</p>";
  } else {
    out += "<h3>Protections that no control proved</h3><ul class=\"names\">" + names + "</ul>";
  }
  std::string lists;
  for (const Reason& reason : kReasons) lists += list_of(reason, campaign);
  if (!lists.empty()) out += "<h3>Checks that did not hold</h3>" + lists;
  if (!campaign.complete)
    out += "<p>The campaign was interrupted: checks that are not listed were not run.</p>";
  return out + redundant(campaign) + std::string(kOutOfScope) + "</section>";
}

std::string verifying() {
  std::string out =
      R"(<section id="verify"><h2>Check it yourself</h2><p>In the folder of this page, with tools that every system has:</p>)";
  out += command(verify_commands());
  out +=
      "<p>PyBox's own reader checks more, in this order: signatures, payload types, manifest, "
      "files, the chain of events, "
      "their form, the counts recomputed from the arms, and the link to the campaign before.</p>";
  out += command("campaign verify . --key evidence.pub");
  out +=
      "<p class=\"note\"><strong>What this shows:</strong> that these bytes are the ones that were "
      "signed, and by the key "
      "in <code>evidence.pub</code>. Compare that key with one you got from somewhere else: the "
      "one beside the evidence shows no origin. "
      "</p><p class=\"note\"><strong>What it does not show:</strong> that the run was honest. The "
      "plan signed before the "
      "first run, the kept failures, "
      "the controls and your own rerun speak to that.</p>";
  return out + "</section>";
}

std::string appendix(const ReportInput& input) {
  const Evidence& campaign = input.campaign;
  std::string out = R"(<section id="appendix"><h2>Appendix</h2>)";
  out += facts_table("Environment", campaign.environment, Values::Text);
  out += facts_table("Programs (SHA-256)", campaign.tools, Values::Digests);
  out +=
      facts_table("Records (SHA-256)",
                  {{"plan.json", campaign.plan_sha256}, {"events.jsonl", campaign.events_sha256}},
                  Values::Digests);
  if (campaign.previous) {
    out += facts_table(
        "Campaign before",
        {{"id", campaign.previous->id}, {"manifest.sha256", campaign.previous->manifest_sha256}},
        Values::Digests);
  }
  out += R"(<h3>Words</h3><dl class="words">)";
  for (const auto& [word, meaning] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"held",
            "The protected arm was stopped as expected, the control came through, their seals "
            "differ by exactly the cut set."},
           {"cut set",
            "The fewest protections that must be left out for the attack to come through."},
           {"control", "The arm without the cut set. It runs in a build that is not shipped."},
           {"only X on",
            "The cut set left out but for X: shows that X stops the attack by itself."},
           {"nonce",
            "A random number made for one attempt. What the probe says counts only with it; exit "
            "codes do not."},
           {"seal",
            "Every protection, checked before the program's first instruction: read back from the "
            "kernel where it can be asked."}}) {
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", word, meaning);
  }
  return out +
         fmt::format("</dl><p class=\"end\">End of report {}</p></section>", code(campaign.id));
}

}  // namespace pybox::reports::html
