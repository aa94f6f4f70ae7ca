#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "reports/html/parts.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports::html {
namespace {

std::string chip(std::string_view kind, std::string_view value, std::string_view label,
                 std::uint64_t count, std::string_view glyph) {
  return fmt::format(
      R"(<button type="button" class="chip s-{}" data-filter="{}" data-value="{}" aria-pressed="false">)"
      R"({}{}<span class="count">{}</span></button>)",
      kind == "status" ? value : "plain", kind, html_text(value),
      glyph.empty() ? "" : fmt::format(R"(<span class="g">{}</span>)", glyph), html_text(label),
      grouped(count));
}

std::string filters(const Evidence& campaign) {
  std::map<std::string, std::uint64_t> engines, areas;
  for (const CheckResult& check : campaign.checks) {
    ++engines[std::string(name_of(check.engine))];
    ++areas[check.area];
  }
  std::string out = R"(<div class="filters js-only" role="search" aria-label="Filter checks">)"
                    R"(<div class="chips" role="group" aria-label="Verdict">)";
  for (const Verdict verdict : kVerdicts) {
    if (campaign.count(verdict) == 0) continue;
    out += chip("status", name_of(verdict), name_of(verdict), campaign.count(verdict),
                glyph_of(verdict));
  }
  out += R"(</div><div class="chips" role="group" aria-label="Engine">)";
  for (const auto& [engine, count] : engines) out += chip("engine", engine, engine, count, "");
  out +=
      R"(</div><div class="finders"><label>Area <select id="area"><option value="">all</option>)";
  for (const auto& [area, count] : areas) {
    out += fmt::format(R"(<option value="{0}">{0} ({1})</option>)", html_text(area), count);
  }
  return out +
         R"(</select></label><label>Find <input id="find" type="search" autocomplete="off" spellcheck="false" )"
         R"(placeholder="id, claim, protection"></label><button type="button" id="reset" class="quiet">Show all</button>)"
         R"(<button type="button" id="fold" class="quiet">Open all</button>)"
         R"(<p id="shown" class="quiet-text" role="status"></p></div></div>)";
}

std::string group(std::string_view title, std::string_view note,
                  const std::vector<const CheckResult*>& members, const ReportInput& input) {
  std::string out =
      fmt::format(R"(<section class="group"><h3>{} <span class="count">{}</span></h3>)",
                  html_text(title), members.size());
  if (!note.empty()) out += fmt::format(R"(<p class="quiet-text">{}</p>)", note);
  for (const CheckResult* member : members) out += check(*member, input);
  return out + "</section>";
}

}  // namespace

std::string checks(const ReportInput& input) {
  const Evidence& campaign = input.campaign;
  std::vector<const CheckResult*> trouble;
  std::map<std::pair<std::string, std::string>, std::vector<const CheckResult*>> groups;
  for (const CheckResult& check : campaign.checks) {
    if (is_trouble(campaign, check)) {
      trouble.push_back(&check);
    } else {
      groups[{check.area, check.group}].push_back(&check);
    }
  }
  const auto rank = [](const CheckResult* check) {
    return std::find(std::begin(kVerdicts), std::end(kVerdicts), check->verdict);
  };
  std::stable_sort(trouble.begin(), trouble.end(),
                   [&](const CheckResult* a, const CheckResult* b) { return rank(a) < rank(b); });
  for (auto& [name, members] : groups) {
    std::stable_sort(members.begin(), members.end(),
                     [](const CheckResult* a, const CheckResult* b) { return a->id < b->id; });
  }
  std::string out =
      R"(<section id="checks"><h2>Checks</h2><p class="quiet-text">Each check attacks twice: with every protection, )"
      R"(and with only the cut set left out. It holds when the first is stopped and the second comes through.</p>)";
  out += filters(campaign);
  if (!trouble.empty()) {
    out += group("Needs attention", "Neither held nor excused, worst first.", trouble, input);
  }
  for (const auto& [name, members] : groups) {
    out += group(name.second + " · " + name.first, "", members, input);
  }
  return out +
         R"(<p id="empty" class="quiet-text" hidden>No check matches these filters.</p></section>)";
}

}  // namespace pybox::reports::html
