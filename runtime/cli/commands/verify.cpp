#include <fmt/core.h>

#include <array>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/terminal/exit_code.hpp"
#include "receipt/keys.hpp"
#include "receipt/verify.hpp"
#include "sys/file.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::cli {
namespace {

/// Far above any receipt: two streams, 64 samples, the seal.
constexpr Bytes kLargestReceipt = 16_MiB;

constexpr std::array kPositionals = {
    Positional{"RECEIPT.json", "the receipt; `-` takes it from stdin"}};

constexpr std::array kOptions = {
    Option{"--key", "PUB", "the signer's public key, PEM (default: this installation's)"},
};

constexpr std::string_view kDetails =
    R"(Exit code 0: it is valid. 1: it is not, and the message says why. A valid
receipt is what PyBox with that key wrote; `capture` and `files` still hold what
the program said.)";

Result<std::string> read_receipt(const std::string& path) {
  if (path == "-") return sys::read_to_end(STDIN_FILENO, kLargestReceipt.count);
  return sys::read_file(path, kLargestReceipt);
}

Result<std::filesystem::path> key_file(const Words& words) {
  if (const auto file = words.value("--key")) return std::filesystem::path(*file);
  const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
  return public_key_file(dirs);
}

std::string holds_text(const Verified& verified, const std::filesystem::path& key) {
  return fmt::format(
      "the receipt holds\n"
      "  receipt    {}\n"
      "  written    {} by PyBox {}\n"
      "  shape      schema version 1, every key there once, none unknown, none contradicting\n"
      "  signature  Ed25519 over everything but itself (DSSE, RFC 8785)\n"
      "  key        {} ({})\n"
      "  seal       {}\n",
      verified.receipt.receipt_id, verified.receipt.created_at, verified.receipt.pybox_version,
      verified.key_id, visible(key.string()), seal_words(verified.receipt.report.seal));
}

Result<int> run(const Words& words, const Surroundings& around) {
  const std::filesystem::path file = PYBOX_TRY(key_file(words));
  auto text = read_receipt(words.positionals.front());
  if (!text) return std::move(text).error().as(ErrorKind::Usage);
  auto key = load_public_key(file);
  if (!key) {
    Error error = std::move(key).error().as(ErrorKind::Usage);
    if (words.has("--key")) return error;
    return std::move(error).hint("give the signer's public key with `--key PUB`");
  }
  auto verified = verify_receipt(*text, *key);
  if (!verified) {
    const Error error = std::move(verified).error().context("the receipt is not valid");
    say(error_text(error, around.terminal.colour));
    return exit_code::kDoesNotHold;
  }
  PYBOX_TRY(print(holds_text(*verified, file)));
  return 0;
}

}  // namespace

const Command kVerify{
    .name = "verify",
    .summary = "Check that a receipt is whole and unchanged",
    .synopsis = "RECEIPT.json [--key PUB]",
    .positionals = kPositionals,
    .options = kOptions,
    .details = kDetails,
    .program_option = {},
    .run = run,
};

}  // namespace pybox::cli
