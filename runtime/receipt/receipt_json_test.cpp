#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "receipt/canonical_json.hpp"
#include "receipt/receipt.hpp"
#include "receipt/sample_for_tests.hpp"
#include "receipt/verify.hpp"
#include "sys/file.hpp"

namespace pybox {
namespace {

using nlohmann::ordered_json;

const SigningKey kReceiptKey(KeySeed{1, 2, 3});

Receipt sample_receipt() {
  Request request;
  request.program = "print('hello')\n";
  request.args = {"secret argument"};
  request.inputs = {{"a.csv", "1,2\n"}};
  request.limits = limits_for_image("stdlib");
  Receipt receipt = begin_receipt(request);
  receipt.image_id = "sha256:" + sha256_hex("image");
  receipt.accelerator = "tcg";
  receipt.vm = "shared";
  receipt.report = sample_report();
  add_hints(receipt);
  return receipt;
}

std::string signed_sample() { return sign_receipt(sample_receipt(), kReceiptKey).value(); }

/// Why a receipt does not hold after `edit`; empty when it holds.
std::string receipt_problem_after(const std::function<void(ordered_json&)>& edit) {
  ordered_json object = ordered_json::parse(signed_sample());
  edit(object);
  const auto verified = verify_receipt(object.dump(), kReceiptKey.public_key());
  if (verified) return "";
  CHECK(verified.error().kind() == ErrorKind::Evidence);
  return verified.error().message();
}

constexpr const char* kChanged =
    "the signature does not match: the receipt was changed after it was signed";

}  // namespace

TEST_CASE("a receipt has the contract's keys in the contract's order") {
  const auto object = ordered_json::parse(signed_sample());
  const auto keys_of = [](const ordered_json& value) {
    std::string keys;
    for (const auto& [key, field] : value.items()) keys += key + " ";
    return keys;
  };
  CHECK(
      keys_of(object) ==
      "schema_version receipt_id created_at pybox_version request host seal outcome kernel capture "
      "files timing cleanup denied hints notes signature ");
  CHECK(keys_of(object["request"]) ==
        "image image_id engine python timeout_s code_sha256 limits files_in return_files ");
  CHECK(keys_of(object["request"]["limits"]) == "memory_bytes pids cpu stdout_bytes stderr_bytes ");
  CHECK(keys_of(object["request"]["files_in"][0]) == "name bytes sha256 ");
  CHECK(keys_of(object["host"]) == "engine accelerator vm kernel cgroup ");
  CHECK(keys_of(object["seal"]) == "verified before_start checks ");
  CHECK(keys_of(object["seal"]["checks"][0]) == "name expected observed ok method ");
  CHECK(keys_of(object["outcome"]) ==
        "observation exit_code signal wall_s deadline_fired box_timer_fired stop_requests "
        "out_of_memory cause evidence leftovers_killed ");
  CHECK(keys_of(object["kernel"]) ==
        "source samples lost_samples memory_peak_bytes memory_peak_final oom_kills pids_peak "
        "pids_refusals cpu_usage_s cpu_throttled_s series ");
  CHECK(keys_of(object["capture"]) == "trust stdout stderr ");
  CHECK(keys_of(object["capture"]["stdout"]) ==
        "text base64 encoding bytes_total bytes_kept truncated sha256 ");
  CHECK(keys_of(object["files"]) == "trust status returned omitted omitted_total ");
  CHECK(keys_of(object["timing"]) == "queue prepare seal start run collect cleanup total ");
  CHECK(keys_of(object["cleanup"]) == "status detail ");
  CHECK(keys_of(object["denied"][0]) == "action count ");
  CHECK(keys_of(object["signature"]) == "keyid payloadType sig ");
}

TEST_CASE("a receipt says what was asked, and never the program or its arguments") {
  const std::string text = signed_sample();
  const auto request = ordered_json::parse(text)["request"];
  CHECK(request["image"] == "stdlib");
  CHECK(request["engine"] == "vm");
  CHECK(request["timeout_s"] == 2);
  CHECK(request["code_sha256"] == sha256_hex("print('hello')\n"));
  CHECK(request["limits"]["cpu"] == 0.5);
  CHECK(request["files_in"][0]["sha256"] == sha256_hex("1,2\n"));
  CHECK(text.find("print(") == std::string::npos);
  CHECK(text.find("secret argument") == std::string::npos);
}

TEST_CASE("docs/receipt.md describes every key and every name") {
  const std::string page =
      sys::read_file(std::filesystem::path(PYBOX_SOURCE_DIR) / "docs/receipt.md").value();
  const std::function<void(const ordered_json&)> look = [&](const ordered_json& value) {
    for (const auto& [key, field] : value.items()) {
      INFO(key);
      if (value.is_object()) {
        const bool named = page.find("`" + key + "`") != std::string::npos ||
                           page.find("." + key + "`") != std::string::npos ||
                           page.find("`" + key + ".") != std::string::npos ||
                           page.find("{" + key) != std::string::npos ||
                           page.find(", " + key) != std::string::npos;
        CHECK(named);
      }
      if (field.is_structured() && key != "series") look(field);
    }
  };
  look(ordered_json::parse(signed_sample()));
  for (int i = 0; i <= static_cast<int>(Observation::NotStarted); ++i) {
    CHECK(page.find("`" + std::string(name_of(static_cast<Observation>(i))) + "`") !=
          std::string::npos);
  }
}

TEST_CASE("times are written to the microsecond, without tails") {
  Receipt receipt = sample_receipt();
  receipt.report.outcome.wall = Nanos(447'123'456);
  receipt.report.timing.run = Nanos(447'123'456);
  const std::string text = unsigned_receipt(receipt);
  CHECK(text.find("\"wall_s\": 0.447123,") != std::string::npos);
  CHECK(text.find("\"run\": 447.123,") != std::string::npos);
}

TEST_CASE("a receipt reads back as it was") {
  const Receipt sample = sample_receipt();
  const auto read = receipt_from_json(sign_receipt(sample, kReceiptKey).value());
  REQUIRE(read);
  CHECK(unsigned_receipt(*read) == unsigned_receipt(sample));
  CHECK(receipt_from_json(unsigned_receipt(sample)));
}

TEST_CASE("a receipt of a run that never started says why, and nothing else") {
  Receipt receipt = sample_receipt();
  mark_not_started(
      receipt,
      Error(ErrorKind::NotRunning, "the VM is not running").hint("start it with `pybox vm start`"));
  const auto object = ordered_json::parse(sign_receipt(receipt, kReceiptKey).value());
  CHECK(object["outcome"]["observation"] == "NOT_STARTED");
  CHECK(object["cleanup"]["status"] == "NOT_ATTEMPTED");
  CHECK(object["outcome"]["exit_code"].is_null());
  CHECK(object["seal"]["verified"] == false);
  CHECK(object["outcome"]["evidence"][0] == "not started: the VM is not running");
  CHECK(object["hints"][0] == "start it with `pybox vm start`");
  CHECK(object["kernel"]["memory_peak_bytes"].is_null());
  CHECK(receipt_from_json(object.dump()));
}

TEST_CASE("unknown values of the head are null") {
  const auto object = ordered_json::parse(unsigned_receipt(Receipt{}));
  CHECK(object["request"]["image_id"].is_null());
  CHECK(object["request"]["code_sha256"].is_null());
  CHECK(object["host"]["accelerator"].is_null());
  CHECK(object["host"]["vm"].is_null());
  CHECK(object["host"]["kernel"].is_null());
  CHECK(object["signature"].is_null());
}

TEST_CASE("a receipt as PyBox signed it holds, however it is spaced") {
  const std::string text = signed_sample();
  const auto verified = verify_receipt(text, kReceiptKey.public_key());
  REQUIRE(verified);
  CHECK(verified->key_id == key_id(kReceiptKey.public_key()));
  CHECK(verified->receipt.image_id == "sha256:" + sha256_hex("image"));
  CHECK(verify_receipt(ordered_json::parse(text).dump(), kReceiptKey.public_key()));
}

TEST_CASE("any changed value breaks the signature") {
  CHECK(receipt_problem_after([](auto& o) { o["outcome"]["wall_s"] = 0.074; }) == kChanged);
  CHECK(receipt_problem_after([](auto& o) { o["outcome"]["exit_code"] = 1; }) == kChanged);
  CHECK(receipt_problem_after([](auto& o) { o["request"]["timeout_s"] = 3; }) == kChanged);
  CHECK(receipt_problem_after([](auto& o) { o["created_at"] = "2020-01-01T00:00:00.000Z"; }) ==
        kChanged);
  CHECK(receipt_problem_after([](auto& o) { o["seal"]["checks"].erase(1); }) == kChanged);
  CHECK(receipt_problem_after([](auto& o) { o["notes"] = ordered_json::array(); }) == kChanged);
  CHECK(receipt_problem_after([](auto& o) { o["denied"] = nullptr; }) == kChanged);
}

TEST_CASE("a receipt of another shape is refused before its signature is looked at") {
  CHECK(receipt_problem_after([](auto& o) { o["surprise"] = 1; }) == "unknown key `surprise`");
  CHECK(receipt_problem_after([](auto& o) { o["request"]["surprise"] = 1; }) ==
        "unknown key `request.surprise`");
  CHECK(receipt_problem_after([](auto& o) { o["signature"]["surprise"] = "1"; }) ==
        "unknown key `signature.surprise`");
  for (const char* key : {"schema_version", "receipt_id", "created_at", "pybox_version", "request",
                          "host", "seal", "outcome", "kernel", "capture", "files", "timing",
                          "cleanup", "denied", "hints", "notes", "signature"}) {
    CHECK(receipt_problem_after([&](auto& o) { o.erase(key); }) ==
          "`" + std::string(key) + "` is missing");
  }
  CHECK(receipt_problem_after([](auto& o) { o["schema_version"] = 2; }) ==
        "`schema_version` is 2; this PyBox knows 1");
  CHECK(receipt_problem_after([](auto& o) { o["host"]["engine"] = "native"; }) ==
        "`host.engine` is not `request.engine`");
  CHECK(receipt_problem_after([](auto& o) { o["request"]["engine"] = "qemu"; }) ==
        "`request.engine` is `qemu`");
}

TEST_CASE("a key that appears twice is refused, whichever value a reader would take") {
  std::string text = signed_sample();
  text.insert(text.find("\"receipt_id\""), "\"schema_version\": 1, ");
  const auto verified = verify_receipt(text, kReceiptKey.public_key());
  REQUIRE_FALSE(verified);
  CHECK(verified.error().message() == "the key `schema_version` appears twice");
}

TEST_CASE("text around a receipt is refused") {
  const std::string text = signed_sample();
  CHECK_FALSE(verify_receipt(text + "x", kReceiptKey.public_key()));
  CHECK_FALSE(verify_receipt(text + text, kReceiptKey.public_key()));
  CHECK_FALSE(verify_receipt("x" + text, kReceiptKey.public_key()));
  CHECK_FALSE(verify_receipt(text.substr(0, text.size() / 2), kReceiptKey.public_key()));
  CHECK_FALSE(verify_receipt("", kReceiptKey.public_key()));
}

TEST_CASE("a signature of another kind, key or length is refused") {
  CHECK(receipt_problem_after([](auto& o) { o["signature"] = nullptr; }) ==
        "the receipt is not signed");
  CHECK(receipt_problem_after([](auto& o) { o["signature"]["payloadType"] = "text/plain"; }) ==
        "`signature.payloadType` is `text/plain`, not a receipt's");
  CHECK(receipt_problem_after([](auto& o) { o["signature"]["sig"] = "AAAA"; }) ==
        "`signature.sig` is not 64 bytes in base64");
  CHECK(receipt_problem_after([](auto& o) {
          o["signature"]["sig"] = base64_encode(std::string(64, '\0'));
        }) == kChanged);
  const SigningKey other = SigningKey::generate();
  const auto foreign = verify_receipt(signed_sample(), other.public_key());
  REQUIRE_FALSE(foreign);
  CHECK(foreign.error().message() == "signed by another key: " + key_id(kReceiptKey.public_key()) +
                                         ", not " + key_id(other.public_key()));
  CHECK(foreign.error().hint() ==
        "give the public key it was signed with: `pybox verify RECEIPT.json --key PUB`");
  // A foreign signature under our key's name.
  CHECK(receipt_problem_after([&](auto& o) {
          o["signature"]["sig"] = ordered_json::parse(
              sign_receipt(sample_receipt(), other).value())["signature"]["sig"];
        }) == kChanged);
}

TEST_CASE("no flipped bit goes unnoticed, unless the value stays the same") {
  const std::string text = signed_sample();
  const auto value = ordered_json::parse(text);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    std::string flipped = text;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 7)));
    if (!verify_receipt(flipped, kReceiptKey.public_key())) {
      ++refused;
      continue;
    }
    // White space, or another spelling of the same character or number.
    CHECK(ordered_json::parse(flipped) == value);
  }
  CHECK(refused > text.size() / 3 / 2);
}

}  // namespace pybox
