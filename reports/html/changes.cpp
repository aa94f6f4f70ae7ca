#include "reports/html/differences.hpp"
#include "reports/html/parts.hpp"
#include "reports/render/diff_words.hpp"
#include "reports/render/words.hpp"

namespace pybox::reports::html {

std::string changes(const ReportInput& input) {
  if (input.previous == nullptr) {
    return R"(<section id="changed"><h2>What changed</h2>)"
           R"(<p class="quiet-text">There is no earlier campaign to compare with.</p></section>)";
  }
  const Diff diff = diff_campaigns(*input.previous, input.campaign);
  return R"(<section id="changed"><h2>What changed since )" + code(input.previous->id) +
         "</h2><p><strong>Since then " + verdict_sentence(diff) + ".</strong></p>" +
         fact_differences(diff) + check_differences(diff, Names::Linked) +
         protection_differences(diff) + "</section>";
}

}  // namespace pybox::reports::html
