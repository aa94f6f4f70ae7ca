#include <stdlib.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "base/digest.hpp"
#include "cli/commands/output_json.hpp"
#include "cli/commands/run_command.hpp"
#include "cli/terminal/capture_for_tests.hpp"
#include "receipt/keys.hpp"
#include "receipt/sample_for_tests.hpp"
#include "receipt/store.hpp"
#include "sys/file.hpp"

namespace pybox::cli {
namespace {

namespace fs = std::filesystem;

/// `pybox WORDS` in an installation of its own.
class Shell {
 public:
  Shell() : home(fs::temp_directory_path() / ("commands-" + random_hex(6))) {
    fs::create_directory(home);
    ::setenv("PYBOX_HOME", (home / "pybox").c_str(), 1);
    ::setenv("XDG_CONFIG_HOME", (home / "config").c_str(), 1);
  }
  ~Shell() { fs::remove_all(home); }
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  int run(const std::vector<std::string>& words) {
    Captured captured;
    const int code = run_command(words);
    captured.stop();
    out = captured.out();
    err = captured.err();
    return code;
  }

  /// Keeps a signed receipt and gives its file.
  fs::path keep(const std::string& id) const {
    Receipt receipt = begin_receipt(Request{});
    receipt.receipt_id = id;
    receipt.created_at = "2026-11-29T12:34:56.789Z";
    receipt.request.limits = limits_for_image("stdlib");
    receipt.report = sample_report();
    const sys::StateDirs dirs = sys::state_dirs().value();
    REQUIRE(prepare_receipts(dirs));
    const SigningKey key = load_or_make_key(dirs).value();
    REQUIRE(keep_receipt(dirs, id, sign_receipt(receipt, key).value()));
    return dirs.receipts() / (id + ".json");
  }

  fs::path home;
  std::string out;
  std::string err;
};

}  // namespace

TEST_CASE("without a command the overview comes, as wrong usage") {
  Shell shell;
  CHECK(shell.run({}) == 2);
  CHECK(shell.out.empty());
  CHECK(shell.err.starts_with("Run untrusted Python programs"));
  CHECK(shell.run({"--help"}) == 0);
  CHECK(shell.out.starts_with("Run untrusted Python programs"));
  CHECK(shell.err.empty());
}

TEST_CASE("help of a command and of a group goes to stdout") {
  Shell shell;
  CHECK(shell.run({"verify", "--help"}) == 0);
  CHECK(shell.out.find("Usage: pybox verify") != std::string::npos);
  CHECK(shell.run({"image", "-h"}) == 0);
  CHECK(shell.out.find("image list") != std::string::npos);
  CHECK(shell.run({"nothing", "--help"}) == 2);
}

TEST_CASE("version says what was built, in words and in JSON") {
  Shell shell;
  CHECK(shell.run({"version"}) == 0);
  CHECK(shell.out.starts_with("pybox " PYBOX_VERSION " ("));
  const std::string words = shell.out;
  CHECK(shell.run({"--version"}) == 0);
  CHECK(shell.out == words);
  CHECK(shell.run({"version", "--json"}) == 0);
  CHECK(shell.out.starts_with("{\n  \"schema_version\": 1,\n  \"version\": \"" PYBOX_VERSION
                              "\",\n"));
}

TEST_CASE("an unknown command is wrong usage") {
  Shell shell;
  CHECK(shell.run({"recipts"}) == 2);
  CHECK(shell.err ==
        "error: unknown command `pybox recipts`\nhint: did you mean `pybox receipts`?\n");
}

TEST_CASE("kept receipts are listed and shown by a prefix of their id") {
  Shell shell;
  CHECK(shell.run({"receipts"}) == 0);
  CHECK(shell.out == "no receipts are kept yet\n");
  const fs::path file = shell.keep("0123456789abcdef01234567");
  CHECK(shell.run({"receipts"}) == 0);
  CHECK(shell.out ==
        "ID            WHEN (UTC)           TIME      IMAGE    ENGINE  ENDED\n"
        "0123456789ab  2026-11-29 12:34:56  0.075 s   stdlib   vm      ended by itself, exit code "
        "0\n");
  CHECK(shell.run({"receipts", "0123"}) == 0);
  CHECK(shell.out.starts_with("pybox: ended by itself, exit code 0\n"));
  CHECK(shell.run({"receipts", "0123", "--json"}) == 0);
  CHECK(shell.out == sys::read_file(file).value());
  CHECK(shell.run({"receipts", "--json"}) == 0);
  CHECK(shell.out.find("\"receipt_id\": \"0123456789abcdef01234567\"") != std::string::npos);
  CHECK(shell.run({"receipts", "ff"}) == 2);
  CHECK(shell.err ==
        "error: no kept receipt's id starts with `ff`\nhint: `pybox receipts` lists them\n");
}

TEST_CASE("a damaged receipt is named, the others are listed all the same") {
  Shell shell;
  shell.keep("aaaa");
  const fs::path file = shell.keep("bbbb");
  std::ofstream(file) << "{";
  CHECK(shell.run({"receipts"}) == 0);
  CHECK(shell.out.find("aaaa") != std::string::npos);
  CHECK(shell.err == "error: " + file.string() + ": not JSON at byte 2\n");
}

TEST_CASE("verify says what it checked, or why a receipt does not hold") {
  Shell shell;
  const fs::path file = shell.keep("aaaa");
  CHECK(shell.run({"verify", file.string()}) == 0);
  CHECK(shell.out.starts_with("the receipt holds\n  receipt    aaaa\n"));
  CHECK(shell.out.find("Ed25519 over everything but itself") != std::string::npos);
  CHECK(shell.out.find("\n  seal       ") != std::string::npos);

  std::string text = sys::read_file(file).value();
  text.replace(text.find("0.075"), 5, "0.074");
  std::ofstream(file) << text;
  CHECK(shell.run({"verify", file.string()}) == 1);
  CHECK(shell.out.empty());
  CHECK(shell.err ==
        "error: the receipt is not valid: the signature does not match: the receipt was changed "
        "after it was signed\n");
}

TEST_CASE("verify takes the signer's key from a file") {
  Shell shell;
  const fs::path file = shell.keep("aaaa");
  const fs::path key = shell.home / "their.pub";
  fs::copy(public_key_file(sys::state_dirs().value()), key);
  fs::remove_all(sys::state_dirs()->keys());
  CHECK(shell.run({"verify", file.string(), "--key", key.string()}) == 0);
  CHECK(shell.run({"verify", file.string()}) == 2);
  CHECK(shell.err.find("hint: give the signer's public key with `--key PUB`") != std::string::npos);
  REQUIRE(sys::replace_file(key, to_pem(SigningKey::generate().public_key())));
  CHECK(shell.run({"verify", file.string(), "--key", key.string()}) == 1);
  CHECK(shell.err.starts_with("error: the receipt does not hold: signed by another key"));
  CHECK(shell.run({"verify", "/nonexistent", "--key", key.string()}) == 2);
}

TEST_CASE("the image list says what may be used and why not") {
  Shell shell;
  CHECK(shell.run({"image", "list"}) == 0);
  CHECK(shell.out == "no images yet; `pybox setup` makes the first\n");
  CHECK(shell.run({"image", "list", "--json"}) == 0);
  CHECK(shell.out == "{\n  \"schema_version\": 1,\n  \"images\": []\n}\n");
  const store::Image usable{"stdlib", "sha256:" + std::string(64, 'a'), "3.13", "", ""};
  const std::vector<store::Listed> images = {
      {"old", std::nullopt, "built by another recipe", false, {}},
      {"stdlib", usable, "", true, {{"rich", "14.0", std::string(64, 'b')}}}};
  CHECK(images_text(images) ==
        "NAME    PYTHON  ID                   STATE\n"
        "old     -       -                    built by another recipe\n"
        "stdlib  3.13    sha256:aaaaaaaaaaaa  usable\n");
  const std::string json = images_json(images);
  CHECK(json.find("\"problem\": \"built by another recipe\"") != std::string::npos);
  CHECK(json.find("\"matches_recipe\": false") != std::string::npos);
  CHECK(json.find("\"version\": \"14.0\"") != std::string::npos);
}

}  // namespace pybox::cli
