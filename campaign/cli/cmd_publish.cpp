#include <fmt/core.h>

#include <array>
#include <filesystem>

#include "base/text.hpp"
#include "campaign/cli/commands.hpp"
#include "receipt/keys.hpp"
#include "reports/site/site.hpp"

namespace pybox::campaign {
namespace {

constexpr std::array kPositionals = {
    cli::Positional{"DIR", "evidence folders, one for each campaign", true, true}};

constexpr std::array kOptions = {
    cli::Option{"-o", "SITE", "the folder to make; an earlier site is replaced"},
    cli::Option{"--key", "PUB",
                "the key that signed them all, PEM (default: the one beside each)"}};

constexpr std::string_view kDetails =
    R"(Each folder is copied and must verify, else nothing is published. The site is whole
or absent, loads nothing from elsewhere and works from a web server and from disk:
index.html with the chain of campaigns and its gaps, what changed between each two,
latest/, badge.svg, feed.xml.

Exit code 0: published; gaps in the chain are pointed out. 1: a folder does not
verify.)";

Result<int> run(const cli::Words& words, const cli::Surroundings& around) {
  const auto site = words.value("-o");
  if (!site || site->empty()) return Error(ErrorKind::Usage, "`-o SITE` is missing");
  std::optional<PublicKey> key;
  if (const auto file = words.value("--key")) key = PYBOX_TRY(load_public_key(std::string(*file)));
  const std::vector<std::filesystem::path> folders(words.positionals.begin(),
                                                   words.positionals.end());
  auto made = reports::publish(folders, std::string(*site), key);
  if (!made) {
    if (made.error().kind() != ErrorKind::Evidence) return std::move(made).error();
    cli::say(cli::error_text(made.error(), around.terminal.colour));
    return kNotGreen;
  }
  std::string text;
  const auto chain = reports::chain_of(made->campaigns);
  for (std::size_t at = 0; at < made->campaigns.size(); ++at) {
    const Evidence& campaign = made->campaigns[at].campaign;
    text += fmt::format("{}  {}  {}\n", visible(campaign.id), visible(campaign.verdict),
                        visible(chain[at].words));
  }
  text +=
      fmt::format("published {} in {}\n",
                  made->campaigns.size() == 1 ? "1 campaign"
                                              : fmt::format("{} campaigns", made->campaigns.size()),
                  visible(*site));
  PYBOX_TRY(cli::print(text));
  return 0;
}

}  // namespace

const cli::Command kPublish{
    .name = "publish",
    .summary = "Make a static site of campaigns",
    .synopsis = "DIR... -o SITE [--key PUB]",
    .positionals = kPositionals,
    .options = kOptions,
    .details = kDetails,
    .program_option = {},
    .run = run,
    .program = kProgram,
};

}  // namespace pybox::campaign
