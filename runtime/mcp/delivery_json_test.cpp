#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "mcp/delivery.hpp"
#include "receipt/sample_for_tests.hpp"
#include "receipt/verify.hpp"

namespace pybox::mcp {

using nlohmann::json;

namespace {

constexpr std::size_t kBudget = kMaxResponseBytes - 1024;

Receipt receipt_of(RunReport report) {
  Request request;
  request.limits = limits_for_image("stdlib");
  Receipt receipt = begin_receipt(request);
  receipt.report = std::move(report);
  return receipt;
}

struct Made {
  Delivered delivered;
  json result;
  json structured() const { return result["structuredContent"]; }
  std::vector<std::string> trimmed() const {
    std::vector<std::string> what;
    const json items = structured()["delivery"]["items"];
    for (const json& item : items) what.push_back(item["what"]);
    return what;
  }
};

/// Delivers, and checks what must hold of every result.
Made make(Receipt receipt, std::size_t budget = kBudget, Tool tool = Tool::RunPython) {
  const SigningKey key = SigningKey::generate();
  Made made{deliver(std::move(receipt), &key, tool, budget), {}};
  const std::string& body = made.delivered.body;
  CHECK(body.size() <= budget);
  for (const char c : body) REQUIRE((c >= 0x20 && c < 0x7f));
  made.result = json::parse("{" + body + "}");
  CHECK(made.structured()["execution"].dump(-1, ' ', true).size() <= kMaxReceiptBytes);
  REQUIRE(made.result["content"].size() == 1);
  if (tool == Tool::RunPython) {
    CHECK(json::parse(made.result["content"][0]["text"].get<std::string>()) == made.structured());
  }
  const auto verified = verify_receipt(made.structured()["execution"].dump(), key.public_key());
  INFO((verified ? "" : verified.error().message()));
  CHECK(verified);
  CHECK(verify_receipt(made.delivered.receipt, key.public_key()));
  return made;
}

}  // namespace

TEST_CASE("a result holds the receipt, signed, twice") {
  const Made made = make(receipt_of(sample_report()));
  CHECK(made.structured()["execution"]["capture"]["stdout"]["text"] == "hello\n");
  CHECK(made.structured()["delivery"]["trimmed"] == false);
  CHECK_FALSE(made.structured().contains("files"));
  CHECK(made.result["isError"] == false);
  const auto text = made.result["content"][0]["text"].get<std::string>();
  CHECK(text.find("\"outcome\"") < text.find("\"capture\""));
  CHECK(text.find("\"capture\"") < text.find("\"seal\""));
}

TEST_CASE("a result is an error when anything but the program's own good end was seen") {
  const auto is_error = [](auto change) {
    RunReport report = sample_report();
    change(report);
    return make(receipt_of(std::move(report))).result["isError"].template get<bool>();
  };
  CHECK_FALSE(is_error([](RunReport&) {}));
  CHECK(is_error([](RunReport& report) { report.outcome.exit_code = 3; }));
  CHECK(is_error([](RunReport& report) {
    report.outcome.observation = Observation::SupervisorKill;
    report.outcome.exit_code = 137;
    report.outcome.signal = 9;
  }));
  CHECK(is_error([](RunReport& report) {
    report.outcome.observation = Observation::CancelKill;
    report.outcome.exit_code = 137;
    report.outcome.signal = 9;
  }));
  CHECK(is_error([](RunReport& report) { report.cleanup.status = Cleanup::Status::Unconfirmed; }));
  CHECK(is_error([](RunReport& report) { report.files.status = Files::Status::Refused; }));
}

TEST_CASE("what does not fit is left out in the order of the contract, and the rest is signed") {
  const std::string worst(8192, '\x01');
  RunReport report = sample_report();
  report.out = sample_stream(worst);
  report.err = sample_stream(worst);
  const Made made = make(receipt_of(report));
  CHECK(made.trimmed() == std::vector<std::string>{"execution.capture.stderr"});
  CHECK(made.structured()["execution"]["capture"]["stdout"]["bytes_kept"] == 8192);
  CHECK(made.structured()["execution"]["capture"]["stderr"]["truncated"] == true);
  CHECK(made.structured()["execution"]["capture"]["stderr"]["bytes_total"] == 8192);
  // As much as fits was kept: not far below the receipt's limit.
  CHECK(made.structured()["execution"].dump(-1, ' ', true).size() > kMaxReceiptBytes - 100);

  const Made small = make(receipt_of(report), 24 * 1024);
  CHECK(small.trimmed() ==
        std::vector<std::string>{"execution.capture.stderr", "execution.capture.stdout"});
  for (int i = 0; i < 200; ++i)
    report.kernel.series.push_back({.at = Millis(i), .memory_bytes = 1, .pids = 1, .cpu_s = 0.5});
  for (int i = 0; i < 30; ++i) {
    report.seal.checks.push_back({"fs.ro", std::string(900, 'e'), std::string(900, 'e'), true,
                                  i == 0 ? "by construction: x" : "method"});
  }
  const Made smallest = make(receipt_of(report), 16 * 1024);
  CHECK(smallest.trimmed().size() == 4);
  CHECK(smallest.structured()["execution"]["seal"]["checks"].size() == 32);
  CHECK(smallest.structured()["execution"]["seal"]["checks"][5]["expected"] == "");
  CHECK(smallest.structured()["execution"]["seal"]["checks"][5]["method"] == "");
  CHECK(smallest.structured()["execution"]["seal"]["checks"][2]["method"] == "by construction");
  CHECK(smallest.structured()["execution"]["cleanup"]["status"] == "REMOVED");
}

TEST_CASE("even a receipt full of words is delivered, with its end and its cleanup") {
  RunReport report = sample_report();
  for (int i = 0; i < 60; ++i) report.notes.emplace_back(4000, 'n');
  const Made made = make(receipt_of(report));
  CHECK(made.structured()["execution"]["outcome"]["observation"] == "TARGET_EXIT_OBSERVED");
  CHECK(made.structured()["execution"]["cleanup"]["status"] == "REMOVED");
}

TEST_CASE("files come back up to 48 KiB, the others with size and digest") {
  RunReport report = sample_report();
  report.files.status = Files::Status::Received;
  report.files.returned = {{"a.txt", 5, std::string(64, 'a'), "text\n"},
                           {"b.png", 4, std::string(64, 'b'), "\x89PNG"},
                           {"big", 49500, std::string(64, 'c'), std::string(49500, 'x')},
                           {"last", 1, std::string(64, 'd'), "y"}};
  Receipt receipt = receipt_of(report);
  receipt.request.return_files = true;
  const Made made = make(receipt);
  const json files = made.structured()["files"];
  REQUIRE(files.size() == 4);
  CHECK(files[0]["encoding"] == "utf-8");
  CHECK(files[0]["content"] == "text\n");
  CHECK(files[1]["encoding"] == "base64");
  CHECK(files[1]["content"] == "iVBORw==");
  CHECK(files[2].contains("omitted"));
  CHECK(files[2]["bytes"] == 49500);
  CHECK_FALSE(files[2].contains("content"));
  CHECK(files[3]["content"] == "y");
  CHECK(made.trimmed() == std::vector<std::string>{"files[2].content"});
}

TEST_CASE("contents that would not fit on the wire go first") {
  RunReport report = sample_report();
  report.files.status = Files::Status::Received;
  report.files.returned = {{"a", 40000, std::string(64, 'a'), std::string(40000, '\x01')}};
  Receipt receipt = receipt_of(report);
  receipt.request.return_files = true;
  const Made made = make(receipt);
  CHECK(made.trimmed() == std::vector<std::string>{"files[0].content"});
  CHECK(made.structured()["execution"]["capture"]["stdout"]["text"] == "hello\n");
}

TEST_CASE("at most 16 names of omitted files are shown") {
  RunReport report = sample_report();
  report.files.status = Files::Status::Received;
  for (int i = 0; i < 40; ++i)
    report.files.omitted.push_back({"f" + std::to_string(i), 1, "a link"});
  report.files.omitted_total = 40;
  const Made made = make(receipt_of(report));
  CHECK(made.structured()["execution"]["files"]["omitted"].size() == 16);
  CHECK(made.structured()["execution"]["files"]["omitted_total"] == 40);
}

TEST_CASE("execute_python says in words what the receipt holds") {
  RunReport report = sample_report();
  report.out = sample_stream("\x1b[2Jexit code: 7\n");
  const Made made = make(receipt_of(report), kBudget, Tool::ExecutePython);
  const auto text = made.structured()["result"].get<std::string>();
  CHECK(made.result["content"][0]["text"] == text);
  CHECK(text.starts_with("exit code: 0\nduration: 0.075 s\n"));
  CHECK(text.find("\\x1b[2J") != std::string::npos);
}

TEST_CASE("without a key the receipt is delivered unsigned") {
  const Delivered made = deliver(receipt_of(sample_report()), nullptr, Tool::RunPython, kBudget);
  CHECK(
      json::parse("{" + made.body + "}")["structuredContent"]["execution"]["signature"].is_null());
}

}  // namespace pybox::mcp
