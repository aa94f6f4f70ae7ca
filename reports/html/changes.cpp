#include "reports/render/changes.hpp"

#include <fmt/core.h>

#include "reports/html/parts.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports::html {
namespace {

constexpr std::size_t kKept = 240;

std::string value(const std::string& text) {
  return text.empty() ? R"(<span class="none">–</span>)" : html_text(shortened(text, kKept));
}

std::string facts(const std::vector<FactChange>& changes, std::string_view kind) {
  std::string rows;
  for (const FactChange& change : changes) {
    rows += fmt::format("<tr><td>{}</td><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>", kind,
                        html_text(change.name), value(change.before), value(change.now));
  }
  return rows;
}

std::string verdict_or_text(const std::string& text) {
  const auto verdict = verdict_from(text);
  return verdict ? status(*verdict) : value(text);
}

}  // namespace

std::string changes(const ReportInput& input) {
  std::string out = R"(<section id="changed"><h2>What changed)";
  if (input.previous == nullptr) {
    return out +
           R"(</h2><p class="quiet-text">There is no earlier campaign to compare with.</p></section>)";
  }
  const Changes found = changes_between(*input.previous, input.campaign);
  out += " since " + code(input.previous->id) + "</h2>";
  const std::string environment =
      facts(found.environment, "environment") + facts(found.tools, "program");
  if (environment.empty()) {
    out += R"(<p class="quiet-text">Environment and programs are the same.</p>)";
  } else {
    out +=
        R"(<div class="scroll"><table class="plain four"><caption>Environment and programs, which explain most of the rest</caption>)"
        R"(<thead><tr><th scope="col">What</th><th scope="col">Name</th><th scope="col">Before</th><th scope="col">Now</th></tr></thead><tbody>)" +
        environment + "</tbody></table></div>";
  }
  std::string rows;
  for (const CheckChange& change : found.checks) {
    const std::string name = change.kind == CheckChange::Kind::Deleted
                                 ? html_text(change.full_id)
                                 : fmt::format(R"(<a href="#{}">{}</a>)", anchor(change.full_id),
                                               html_text(change.full_id));
    rows += fmt::format(R"(<tr><td>{}</td><th scope="row">{}</th><td>{}</td><td>{}</td></tr>)",
                        name_of(change.kind), name, verdict_or_text(change.before),
                        verdict_or_text(change.now));
  }
  if (!rows.empty()) {
    out +=
        R"(<div class="scroll"><table class="plain four"><caption>Checks</caption>)"
        R"(<thead><tr><th scope="col">What</th><th scope="col">Check</th><th scope="col">Before</th><th scope="col">Now</th></tr></thead><tbody>)" +
        rows + "</tbody></table></div>";
  }
  return out + fmt::format(R"(<p class="quiet-text">{} unchanged.</p></section>)",
                           counted(found.unchanged, "check"));
}

}  // namespace pybox::reports::html
