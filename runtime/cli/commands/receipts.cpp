#include <fmt/core.h>

#include <array>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/output_json.hpp"
#include "cli/terminal/summary.hpp"
#include "receipt/store.hpp"
#include "run/adopt.hpp"
#include "sys/file.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::cli {
namespace {

constexpr Bytes kLargestReceipt = 16_MiB;
/// Of an id, in the list: enough to tell 500 apart, and any prefix is accepted.
constexpr std::size_t kShownId = 12;

constexpr std::array kPositionals = {
    Positional{"ID", "the receipt to show; any unique beginning of its id", false}};

constexpr std::array kOptions = {
    Option{"--json", "", "print the list or the whole receipt as JSON"}};

constexpr std::string_view kDetails =
    R"(The newest 500 are kept in $PYBOX_HOME/receipts, including those of runs whose
client died.)";

/// "2026-11-29 12:34:56" from RFC 3339.
std::string short_time(const std::string& created_at) {
  std::string text = created_at.substr(0, 19);
  if (text.size() > 10) text[10] = ' ';
  return text;
}

std::string list_text(const std::vector<Receipt>& receipts) {
  if (receipts.empty()) return "there are no receipts yet\n";
  std::string text = fmt::format("{:<{}}  {:<19}  {:<8}  {:<7}  {:<6}  {}\n", "ID", kShownId,
                                 "WHEN (UTC)", "TIME", "IMAGE", "ENGINE", "ENDED");
  for (const Receipt& receipt : receipts) {
    const auto wall = receipt.report.outcome.wall;
    std::string ended = ending(receipt.report);
    if (receipt.report.cleanup.status == Cleanup::Status::Unconfirmed) {
      ended += "; removal not confirmed";
    }
    text += fmt::format("{:<{}}  {:<19}  {:<8}  {:<7}  {:<6}  {}\n",
                        receipt.receipt_id.substr(0, kShownId), kShownId,
                        short_time(receipt.created_at), wall ? human_seconds(*wall) : "-",
                        receipt.request.image, name_of(receipt.request.engine), ended);
  }
  return text;
}

Result<int> show_one(const sys::StateDirs& dirs, const std::string& prefix, bool json) {
  const KeptReceipt kept = PYBOX_TRY(find_receipt(dirs, prefix));
  const std::string text = PYBOX_TRY(sys::read_file(kept.file, kLargestReceipt));
  if (json) {
    PYBOX_TRY(print(text));
    return 0;
  }
  const Receipt receipt = PYBOX_TRY_CONTEXT(receipt_from_json(text), kept.file.string());
  PYBOX_TRY(print(summary_text(receipt, false)));
  return 0;
}

Result<int> show_all(const sys::StateDirs& dirs, bool json, bool colour) {
  std::vector<Receipt> receipts;
  for (const KeptReceipt& kept : list_receipts(dirs)) {
    const auto text = sys::read_file(kept.file, kLargestReceipt);
    auto receipt = text ? receipt_from_json(*text) : Result<Receipt>(text.error());
    if (receipt) {
      receipts.push_back(std::move(*receipt));
    } else {
      say(error_text(std::move(receipt).error().context(kept.file.string()), colour));
    }
  }
  PYBOX_TRY(print(json ? receipts_json(receipts) : list_text(receipts)));
  return 0;
}

Result<int> run(const Words& words, const Surroundings& around) {
  const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
  for (const Error& trouble : run::adopt_pending(dirs))
    say(error_text(trouble, around.terminal.colour));
  const bool json = words.has("--json");
  if (words.positionals.empty()) return show_all(dirs, json, around.terminal.colour);
  return show_one(dirs, words.positionals.front(), json);
}

}  // namespace

const Command kReceipts{
    .name = "receipts",
    .summary = "List the kept receipts, or show one",
    .synopsis = "[ID] [--json]",
    .positionals = kPositionals,
    .options = kOptions,
    .details = kDetails,
    .program_option = {},
    .run = run,
};

}  // namespace pybox::cli
