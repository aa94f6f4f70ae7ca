#include <array>

#include "campaign/cli/commands.hpp"
#include "cli/terminal/exit_code.hpp"
#include "receipt/keys.hpp"
#include "reports/verify/verify.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::campaign {
namespace {

constexpr std::array kPositionals = {
    cli::Positional{"DIR", "evidence folder, as `campaign run` or `campaign bench` wrote it"}};

constexpr std::array kOptions = {
    cli::Option{"--key", "PUB", "the signer's public key, PEM (default: the one in the folder)"}};

constexpr std::string_view kDetails =
    R"(Checks signatures, payload types, manifest, files, the chain of events and the form
of campaign.json, and computes every verdict, count and proof again from the arms; for
a bench, every figure from the raw samples. The reader shares no code with what writes
evidence. Valid evidence may have the verdict `broken`: this says whether it is whole,
not whether it is green.

Without --key nothing says who signed: the folder's own key only shows that nothing
changed since.

Exit code 0: it is valid. 1: it is not, and the message says what and where.)";

struct Chosen {
  PublicKey key{};
  reports::KeyFrom from = reports::KeyFrom::Given;
};

Result<Chosen> choose_key(const cli::Words& words, const std::filesystem::path& dir) {
  if (const auto file = words.value("--key")) {
    auto key = load_public_key(std::filesystem::path(*file));
    if (!key) return std::move(key).error().as(ErrorKind::Usage);
    return Chosen{*key, reports::KeyFrom::Given};
  }
  auto beside = reports::key_beside(dir);
  if (!beside) return std::move(beside).error().hint("give the signer's key with `--key PUB`");
  if (const auto dirs = sys::state_dirs()) {
    const auto own = load_public_key(public_key_file(*dirs));
    if (own && *own == *beside) return Chosen{*own, reports::KeyFrom::Own};
  }
  return Chosen{*beside, reports::KeyFrom::Beside};
}

Result<int> run(const cli::Words& words, const cli::Surroundings& around) {
  const std::filesystem::path dir = words.positionals.front();
  std::error_code ignored;
  if (!std::filesystem::is_directory(dir, ignored)) {
    return Error(ErrorKind::Usage, "`" + dir.string() + "` is not a folder")
        .hint("an evidence folder is what `campaign run` or `campaign bench` wrote");
  }
  const auto does_not_hold = [&](Error error) {
    const Error told = std::move(error).context("the evidence is not valid");
    cli::say(cli::error_text(told, around.terminal.colour));
    return kNotGreen;
  };
  auto chosen = choose_key(words, dir);
  if (!chosen) {
    if (chosen.error().kind() == ErrorKind::Usage) return std::move(chosen).error();
    return does_not_hold(std::move(chosen).error());
  }
  const auto verified = reports::verify_evidence(dir, chosen->key);
  if (!verified) return does_not_hold(verified.error());
  PYBOX_TRY(cli::print(reports::verified_text(*verified, chosen->from)));
  return cli::exit_code::kOk;
}

}  // namespace

const cli::Command kVerify{
    .name = "verify",
    .summary = "Check that an evidence folder is whole, unchanged and consistent",
    .synopsis = "DIR [--key PUB]",
    .positionals = kPositionals,
    .options = kOptions,
    .details = kDetails,
    .program_option = {},
    .run = run,
    .program = kProgram,
};

}  // namespace pybox::campaign
