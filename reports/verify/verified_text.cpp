#include <fmt/core.h>

#include "base/text.hpp"
#include "reports/verify/parts.hpp"
#include "reports/verify/verify.hpp"

namespace pybox::reports {

Result<PublicKey> key_beside(const std::filesystem::path& dir) {
  const std::string pem = PYBOX_TRY(verify::read_plain(dir / "evidence.pub", 4096));
  return PYBOX_TRY_CONTEXT(public_key_from_pem(pem), (dir / "evidence.pub").string());
}

std::string verified_text(const VerifiedEvidence& verified, KeyFrom key) {
  std::string out;
  for (const VerifiedStep& step : verified.steps) {
    out += fmt::format("ok  {:<13} {}\n", step.name, step.words);
  }
  for (const std::string& note : verified.notes) out += "note: " + note + "\n";
  out += verified.is_bench ? fmt::format("\nBench {} holds together.\n", visible(verified.campaign))
                           : fmt::format("\nCampaign {} holds together; its verdict is `{}`.\n",
                                         visible(verified.campaign), visible(verified.verdict));
  out += "Signed by " + verified.key_id + "\n\n";
  if (key == KeyFrom::Own) out += "That is the key of this installation.\n\n";
  if (key == KeyFrom::Beside) {
    out +=
        "The key was taken from the folder itself, so this shows that nothing changed since it "
        "was\n"
        "signed, not by whom. Give the signer's key with --key.\n\n";
  }
  if (verified.is_bench) {
    return out +
           "What a signature does not prove: that the clock told the truth, or that the machine "
           "was "
           "quiet.\nMeasure again: `campaign bench`.\n";
  }
  return out +
         "What a signature does not prove: that the run was honest, that the machine told the "
         "truth, or\n"
         "that these checks are the right ones. Run them again: `campaign run CHECK`.\n";
}

}  // namespace pybox::reports
