#include <fmt/core.h>

#include <algorithm>

#include "reports/html/parts.hpp"
#include "reports/html/shell.hpp"
#include "reports/render/diff_words.hpp"
#include "reports/render/words.hpp"
#include "reports/site/site.hpp"

namespace pybox::reports {
namespace {

std::string when(const std::string& time) {
  if (time.size() < 16 || time[10] != 'T') return html_text(time);
  return html_text(time.substr(0, 10) + " " + time.substr(11, 5) + " UTC");
}

std::string head(const std::vector<Published>& campaigns, std::size_t gaps) {
  const Evidence& latest = campaigns.back().campaign;
  const auto known = campaign::verdict_from(latest.verdict);
  const std::string chain = gaps > 0               ? counted(gaps, "gap") + " in the chain"
                            : campaigns.size() > 1 ? "each follows the one before it"
                                                   : "the first of its chain";
  return fmt::format(
      R"(<header class="top"><p class="eyebrow">PyBox evidence: every campaign</p>)"
      R"(<h1 class="t-{}"><span class="g" aria-hidden="true">{}</span>The latest: {}</h1>)"
      R"(<p class="lead">{}</p><dl class="facts"><div><dt>Campaigns</dt><dd>{}; {}</dd></div>)"
      R"(<div><dt>Latest report</dt><dd><a href="{}/report.html">{}</a></dd></div>)"
      R"(<div><dt>Follow</dt><dd><a href="feed.xml">feed</a>, <a href="badge.svg">badge</a>, )"
      R"(<a href="site.json">list</a></dd></div></dl></header>)",
      known ? name_of(*known) : "error", glyph_of_whole(latest.verdict), html_text(latest.verdict),
      html_text(verdict_sentence(latest)), campaigns.size(), chain, latest.id,
      html_text(latest.id));
}

std::string row(const Published& each, const ChainLink& link, bool has_changes) {
  const Evidence& campaign = each.campaign;
  const std::string chain = is_gap(link.state)
                                ? R"(<span class="fit no">⚠ )" + html_text(link.words) + "</span>"
                                : html_text(link.words);
  return fmt::format(
      R"(<tr><td>{}</td><th scope="row"><a href="{}/report.html">{}</a><br>{}</th><td>{}</td>)"
      R"(<td class="n">{} of {}</td><td>{}</td><td>{}<a href="{}/summary.md">summary</a><br>)"
      R"(<a href="{}/manifest.sha256">manifest</a> <code class="hash" title="{}">{}</code></td></tr>)",
      html::status(campaign.verdict), campaign.id, html_text(campaign.id), when(campaign.started),
      html_text(counts_text(campaign)), campaign.proven(), campaign.protections.size(), chain,
      has_changes ? fmt::format(R"(<a href="changes/{}.html">changes</a><br>)", campaign.id) : "",
      campaign.id, campaign.id, each.manifest_sha256, each.manifest_sha256.substr(0, 12));
}

std::string checking(const Published& latest) {
  return fmt::format(
      R"(<section id="verify"><h2>Verify</h2><p>Every folder here verified when it was published, the latest with the key )"
      R"({}. Download one and check it again, with PyBox or without:</p>{}{}</section>)",
      html::code(latest.key_id), html::command("campaign verify " + latest.campaign.id),
      html::command("cd " + latest.campaign.id + " && sha256sum -c manifest.sha256"));
}

std::string xml_text(std::string_view text) { return html_text(text); }

}  // namespace

std::string index_html(const std::vector<Published>& campaigns) {
  const std::vector<ChainLink> links = chain_of(campaigns);
  const auto gaps = static_cast<std::size_t>(std::count_if(
      links.begin(), links.end(), [](const ChainLink& link) { return is_gap(link.state); }));
  std::string rows;
  for (std::size_t at = campaigns.size(); at-- > 0;) rows += row(campaigns[at], links[at], at > 0);
  const std::string body =
      head(campaigns, gaps) +
      "\n<main>\n<section id=\"campaigns\"><h2>Campaigns</h2><div class=\"scroll\">" +
      R"(<table class="plain campaigns"><caption>Newest first. Each is signed, and names the one before it by the digest of )"
      R"(its manifest.</caption><thead><tr><th scope="col">Verdict</th><th scope="col">Campaign</th>)"
      R"(<th scope="col">Checks</th><th scope="col" class="n">Proven</th><th scope="col">Chain</th>)"
      R"(<th scope="col">Files</th></tr></thead><tbody>)" +
      rows + "</tbody></table></div></section>\n" + checking(campaigns.back()) + "\n</main>";
  return still_page("PyBox evidence: " + campaigns.back().campaign.verdict, body);
}

std::string feed_xml(const std::vector<Published>& campaigns) {
  const auto id_of = [](const Published& each) { return "urn:sha256:" + each.manifest_sha256; };
  const auto updated = [](const Evidence& campaign) {
    return xml_text(campaign.ended.empty() ? campaign.started : campaign.ended);
  };
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n"
      "<id>{}:feed</id>\n<title>PyBox evidence</title>\n<updated>{}</updated>\n"
      "<author><name>campaign publish</name></author>\n<link rel=\"alternate\" "
      "href=\"index.html\"/>\n",
      id_of(campaigns.front()), updated(campaigns.back().campaign));
  for (std::size_t at = campaigns.size(); at-- > 0;) {
    const Evidence& campaign = campaigns[at].campaign;
    out += fmt::format(
        "<entry>\n<id>{}</id>\n<title>{} {}</title>\n<updated>{}</updated>\n"
        "<link rel=\"alternate\" href=\"{}/report.html\"/>\n<summary>{}; {}</summary>\n</entry>\n",
        id_of(campaigns[at]), xml_text(campaign.verdict), xml_text(campaign.id), updated(campaign),
        campaign.id, xml_text(verdict_sentence(campaign)), xml_text(counts_text(campaign)));
  }
  return out + "</feed>\n";
}

std::string badge_svg(const Evidence& latest) {
  const bool held = latest.verdict == "held";
  const std::string value =
      held ? fmt::format("{} held, {} proven", latest.count(Verdict::Held), latest.proven())
           : fmt::format("{}: {} held", latest.verdict, latest.count(Verdict::Held));
  // Seven units a character: a little more than the font needs.
  const std::size_t left = 74;
  const std::size_t right = 12 + 7 * value.size();
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="20" role="img" aria-label="campaign: {1}">)"
      R"(<title>campaign: {1}</title><rect width="{0}" height="20" rx="4" fill="#3b4048"/>)"
      R"(<path d="M{2} 0h{3}a4 4 0 0 1 4 4v12a4 4 0 0 1-4 4h-{3}z" fill="{4}"/>)"
      R"(<g fill="#ffffff" font-family="system-ui,DejaVu Sans,sans-serif" font-size="11">)"
      R"(<text x="8" y="14">campaign</text><text x="{5}" y="14">{1}</text></g></svg>)"
      "\n",
      left + right, html_text(value), left, right - 4, held ? "#14663a" : "#b3201a", left + 6);
}

}  // namespace pybox::reports
