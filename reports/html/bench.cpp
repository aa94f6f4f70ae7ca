#include "reports/html/bench.hpp"

#include <fmt/core.h>

#include <utility>

#include "reports/html/shell.hpp"
#include "reports/render/bench.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports {
namespace {

using campaign::Bench;
using campaign::BenchCase;

std::string rows(const BenchCase& each) {
  const std::string where =
      each.box.cgroup + (each.box.accelerator.empty() ? "" : ", " + each.box.accelerator);
  std::string lead = R"(<th scope="row" rowspan="2">)" + html_text(each.name) + "</th>";
  std::string out;
  for (const BenchRow& row : bench_rows(each)) {
    out += "<tr>" + std::exchange(lead, "") + "<td>" + row.run + "</td>";
    for (const std::string& cell : row.cells) out += R"(<td class="n">)" + cell + "</td>";
    out += row.run == "bare"
               ? std::string("<td></td><td></td><td></td></tr>")
               : fmt::format(R"(<td class="n">{}</td><td class="n">{}</td><td>cgroup {}</td></tr>)",
                             added_text(each), times_text(each), html_text(where));
  }
  return out;
}

std::string table(const Bench& bench) {
  std::string head = R"(<th scope="col">Case</th><th scope="col">Run</th>)";
  for (const std::string_view column : kBenchColumns)
    head += fmt::format(R"(<th scope="col" class="n">{}</th>)", column);
  std::string body;
  for (const BenchCase& each : bench.cases) body += rows(each);
  return R"(<div class="scroll"><table class="plain"><caption>Times in milliseconds, from the start of the process until it was reaped</caption><thead><tr>)" +
         head +
         R"(<th scope="col" class="n">added</th><th scope="col" class="n">ratio</th><th scope="col">where</th></tr></thead><tbody>)" +
         body + "</tbody></table></div>";
}

std::string facts(std::string_view title, const std::map<std::string, std::string>& words) {
  std::string out = fmt::format(R"(<h3>{}</h3><dl class="facts">)", title);
  for (const auto& [name, fact] : words)
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", html_text(name), html_text(fact));
  return out + "</dl>";
}

}  // namespace

std::string bench_html(const Bench& bench) {
  std::string out = fmt::format(
      R"(<header><p class="eyebrow">PyBox bench {}</p><h1>What a sealed run costs</h1><p class="lead">Each sealed run is paired with one of the bare interpreter of the same image, back to back, in random order. Before each case: {} of warm-up, not counted.</p></header><main><section>)",
      html_text(bench.id), counted(bench.warm_up, "pair"));
  out += table(bench);
  out +=
      "<p>Percentiles are nearest ranks. What was added and the ratio are medians of pairs, with "
      "an interval that holds the true median with at least 95 %.</p><ul>";
  for (const std::string& note : bench_notes(bench)) out += "<li>" + html_text(note) + "</li>";
  out += fmt::format(
      "</ul></section><section><h2>Where and when</h2><p>Started {}, ended {}.</p>{}{}</section>",
      html_text(bench.started), html_text(bench.ended), facts("Environment", bench.environment),
      facts("Programs (SHA-256)", bench.tools));
  out += "<section><h2>Check it yourself</h2><pre>" + html_text(verify_commands(Statements::One)) +
         "</pre><p><code>campaign verify .</code> also computes every figure again from the raw "
         "samples. A signature does not show that the machine was quiet.</p></section></main>";
  return still_page("What a sealed run costs: PyBox bench " + bench.id, out);
}

}  // namespace pybox::reports
