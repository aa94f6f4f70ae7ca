#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <nlohmann/json.hpp>

#include "receipt/report.hpp"
#include "receipt/sample_for_tests.hpp"

namespace pybox {
namespace {

using nlohmann::ordered_json;

/// Why a report is refused after `edit` changed its JSON; empty when it is accepted.
std::string problem_after(const std::function<void(ordered_json&)>& edit) {
  ordered_json object = ordered_json::parse(report_to_json(sample_report()));
  edit(object);
  const auto read = report_from_json(object.dump());
  if (read) return "";
  CHECK(read.error().kind() == ErrorKind::Protocol);
  const std::string lead = "the report of the run: ";
  CHECK(read.error().message().starts_with(lead));
  return read.error().message().substr(lead.size());
}

std::string round_trip(const RunReport& report) {
  const auto read = report_from_json(report_to_json(report));
  return read ? report_to_json(*read) : read.error().message();
}

}  // namespace

TEST_CASE("a report survives the way there and back") {
  const RunReport sample = sample_report();
  const auto read = report_from_json(report_to_json(sample));
  REQUIRE(read);
  CHECK(read->outcome.wall == Nanos(Millis(75)));
  CHECK(read->out.bytes == "hello\n");
  CHECK(read->kernel.series.size() == 2);
  CHECK(read->kernel.cpu_usage_s == 0.031337);
  CHECK(read->timing.start == Nanos(1'234'000));
  CHECK(read->denied->at(0).action == "socket(AF_VSOCK)");
  CHECK(round_trip(sample) == report_to_json(sample));
}

TEST_CASE("a seal that was told before the program started is not told again") {
  const RunReport sample = sample_report();
  const std::string rest = report_to_json(sample, SealIs::ToldBefore);
  CHECK(rest.find("checks") == std::string::npos);
  CHECK_FALSE(report_from_json(rest));
  const auto seal = seal_from_json(seal_to_json(sample.seal));
  REQUIRE(seal);
  const auto read = report_from_json(rest, *seal);
  REQUIRE(read);
  CHECK(report_to_json(*read) == report_to_json(sample));
  // What a report says itself counts.
  CHECK(report_to_json(report_from_json(report_to_json(sample), Seal{}).value()) ==
        report_to_json(sample));
  CHECK_FALSE(seal_from_json("{}"));
  CHECK_FALSE(seal_from_json(R"({"verified":true,"before_start":true,"checks":[]})"));
}

TEST_CASE("an empty report survives too: unknown stays unknown") {
  CHECK(round_trip(RunReport{}) == report_to_json(RunReport{}));
  const auto object = ordered_json::parse(report_to_json(RunReport{}));
  CHECK(object["outcome"]["exit_code"].is_null());
  CHECK(object["kernel"]["memory_peak_bytes"].is_null());
  CHECK(object["denied"].is_null());
  CHECK(object["capture"]["stdout"]["sha256"].is_null());
  CHECK(object["capture"]["stdout"]["text"] == "");
  CHECK(object["capture"]["stdout"]["bytes_total"].is_null());
  CHECK(object["capture"]["stdout"]["truncated"].is_null());
}

TEST_CASE("a failure travels with its message and hint") {
  RunReport report;
  report.failure = {.refused = true, .message = "no such image", .hint = "run `pybox setup`"};
  const auto read = report_from_json(report_to_json(report));
  REQUIRE(read);
  CHECK(read->failure->refused);
  CHECK(read->failure->hint == "run `pybox setup`");
}

TEST_CASE("returned files carry their sizes, their contents travel beside the JSON") {
  RunReport report = sample_report();
  report.files = {.status = Files::Status::Received,
                  .returned = {{"a.txt", 3, sha256_hex("abc"), "abc"}},
                  .omitted = {{"link\n", std::nullopt, "a link"}},
                  .omitted_total = 7};
  const auto read = report_from_json(report_to_json(report));
  REQUIRE(read);
  CHECK(read->files.returned.at(0).bytes == 3);
  CHECK(read->files.returned.at(0).content.empty());
  CHECK(read->files.omitted.at(0).name == "link\\x0a");
  CHECK(read->files.omitted_total == 7);
}

TEST_CASE("a stream is text when it can be, whole bytes when not") {
  RunReport report = sample_report();
  const auto stream = [&](std::string bytes, std::uint64_t total) {
    report.out = sample_stream(std::move(bytes));
    report.out.bytes_total = total;
    return ordered_json::parse(report_to_json(report))["capture"]["stdout"];
  };
  // Cut inside a character: the half goes, the rest stays text.
  const auto cut = stream("aa\xc3", 9);
  CHECK(cut["text"] == "aa");
  CHECK(cut["base64"].is_null());
  CHECK(cut["bytes_kept"] == 2);
  CHECK(cut["truncated"] == true);
  // The same bytes uncut are the program's own and are kept.
  const auto own = stream("aa\xc3", 3);
  CHECK(own["text"].is_null());
  CHECK(own["base64"] == "YWHD");
  CHECK(own["encoding"] == "base64");
  CHECK(own["bytes_kept"] == 3);
  CHECK(own["truncated"] == false);
  const auto cut_bytes = stream("\xff\xc3", 9);
  CHECK(cut_bytes["base64"] == "/8M=");
  // NUL and escapes are text; JSON carries them.
  CHECK(stream(std::string("\0\x1b", 2), 2)["text"] == std::string("\0\x1b", 2));
}

TEST_CASE("streams of any bytes come back whole") {
  RunReport report = sample_report();
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (const std::string& bytes : {all, std::string(65536, '\0'), std::string("\xed\xa0\x80")}) {
    report.out = sample_stream(bytes);
    const auto read = report_from_json(report_to_json(report));
    REQUIRE(read);
    CHECK(read->out.bytes == bytes);
  }
}

TEST_CASE("two full streams of NUL bytes fit into one frame head") {
  RunReport report = sample_report();
  report.out = sample_stream(std::string(65536, '\0'));
  report.err = report.out;
  CHECK(report_to_json(report).size() < (1U << 20U));
}

TEST_CASE("every missing and every unknown key is refused") {
  const auto whole = ordered_json::parse(report_to_json(sample_report()));
  for (const auto& [section, value] : whole.items()) {
    CHECK(problem_after([&](auto& o) { o.erase(section); }) == "`" + section + "` is missing");
    if (!value.is_object()) continue;
    for (const auto& [key, inner] : value.items()) {
      CHECK(problem_after([&](auto& o) { o[section].erase(key); }) ==
            "`" + section + "." + key + "` is missing");
    }
    CHECK(problem_after([&](auto& o) { o[section]["surprise"] = 1; }) ==
          "unknown key `" + section + ".surprise`");
  }
  for (const auto& [key, inner] : whole["capture"]["stdout"].items()) {
    CHECK(problem_after([&](auto& o) { o["capture"]["stdout"].erase(key); }) ==
          "`capture.stdout." + key + "` is missing");
  }
  CHECK(problem_after([](auto& o) { o["surprise"] = 1; }) == "unknown key `surprise`");
  CHECK(problem_after([](auto& o) { o["seal"]["checks"][1].erase("ok"); }) ==
        "`seal.checks[1].ok` is missing");
}

TEST_CASE("no field takes a value of another type") {
  const auto whole = ordered_json::parse(report_to_json(sample_report()));
  for (const auto& [section, value] : whole.items()) {
    if (!value.is_object()) {
      CHECK_FALSE(problem_after([&](auto& o) { o[section] = -7.5; }).empty());
      continue;
    }
    for (const auto& [key, inner] : value.items()) {
      for (const ordered_json& wrong : {ordered_json(-7.5), ordered_json(ordered_json::array({-1})),
                                        ordered_json({{"a", 1}})}) {
        INFO(section << "." << key << " = " << wrong.dump());
        CHECK_FALSE(problem_after([&](auto& o) { o[section][key] = wrong; }).empty());
      }
    }
  }
}

TEST_CASE("numbers out of range, unknown names and overlong texts are refused") {
  const auto outcome = [](const char* key, const ordered_json& value) {
    return problem_after([&](auto& o) { o["outcome"][key] = value; });
  };
  CHECK(outcome("exit_code", 256) == "`outcome.exit_code` must be a whole number from 0 to 255");
  CHECK(outcome("signal", 65) == "`outcome.signal` must be a whole number from 0 to 64");
  CHECK(outcome("wall_s", -1) == "`outcome.wall_s` must be a number from 0.0 to 1000000.0");
  CHECK(outcome("wall_s", 1e300) == "`outcome.wall_s` must be a number from 0.0 to 1000000.0");
  CHECK(outcome("observation", "FINE\x1b") == "`outcome.observation` is `FINE\\x1b`");
  CHECK(outcome("cause", "maybe") == "`outcome.cause` is `maybe`");
  CHECK(outcome("evidence", std::vector<std::string>(65, "x")) ==
        "`outcome.evidence` must be a list of at most 64 items");
  CHECK(outcome("evidence", {std::string(4097, 'x')}) ==
        "`outcome.evidence[0]` must be text of at most 4096 bytes");
  CHECK(problem_after([](auto& o) { o["kernel"]["oom_kills"] = std::uint64_t{1} << 60U; }) ==
        "`kernel.oom_kills` must be a whole number from 0 to 9007199254740991");
  CHECK(problem_after([](auto& o) { o["files"]["status"] = "fine"; }) ==
        "`files.status` is `fine`");
  CHECK(problem_after([](auto& o) { o["cleanup"]["status"] = "fine"; }) ==
        "`cleanup.status` is `fine`");
}

TEST_CASE("a series that is not a series is refused") {
  const auto series = [](const ordered_json& value) {
    return problem_after([&](auto& o) {
      o["kernel"]["series"] = value;
      o["kernel"]["samples"] = value.size();
    });
  };
  CHECK(series({{0.1, 1, 2}}) == "`kernel.series[0]` must be a list of 4 numbers");
  CHECK(series({{"a", 1, 2, 3}}) == "`kernel.series[0].0` must be a number from 0.0 to 1000000.0");
  CHECK(series({{0.1, -1, 2, 3}}) ==
        "`kernel.series[0].1` must be a whole number from 0 to 9007199254740991");
  CHECK(series(std::vector<int>(129)) == "`kernel.series` must be a list of at most 128 items");
  CHECK(problem_after([](auto& o) { o["kernel"]["samples"] = 3; }) ==
        "`kernel.samples` is not the length of `kernel.series`");
}

TEST_CASE("a report that contradicts itself is refused") {
  const auto outcome = [](const char* observation, const ordered_json& code,
                          const ordered_json& signal) {
    return problem_after([&](auto& o) {
      o["outcome"]["observation"] = observation;
      o["outcome"]["exit_code"] = code;
      o["outcome"]["signal"] = signal;
    });
  };
  CHECK(outcome("TARGET_EXIT_OBSERVED", 139, 11).empty());
  CHECK(outcome("TARGET_EXIT_OBSERVED", 137, nullptr).empty());
  CHECK(outcome("SUPERVISOR_KILL_OBSERVED", 137, 9).empty());
  CHECK(outcome("CANCEL_KILL_OBSERVED", nullptr, nullptr).empty());
  const std::string misfit = "`outcome.exit_code` and `outcome.signal` do not match ";
  CHECK(outcome("TARGET_EXIT_OBSERVED", nullptr, nullptr) == misfit + "TARGET_EXIT_OBSERVED");
  CHECK(outcome("TARGET_EXIT_OBSERVED", 0, 11) == misfit + "TARGET_EXIT_OBSERVED");
  CHECK(outcome("SUPERVISOR_KILL_OBSERVED", 0, nullptr) == misfit + "SUPERVISOR_KILL_OBSERVED");
  CHECK(outcome("BOX_LOST", 0, nullptr) == misfit + "BOX_LOST");
  CHECK(outcome("NOT_STARTED", nullptr, 9) == misfit + "NOT_STARTED");

  CHECK(problem_after([](auto& o) { o["seal"]["checks"][0]["ok"] = false; }) ==
        "`seal.verified` is true, its checks say otherwise");
  CHECK(problem_after([](auto& o) { o["seal"]["checks"] = ordered_json::array(); }) ==
        "`seal.verified` is true, its checks say otherwise");
  CHECK(problem_after([](auto& o) {
          o["failure"] = {{"refused", true}, {"message", "m"}, {"hint", nullptr}};
        }) == "`failure` does not belong to a run that started");
  CHECK(problem_after([](auto& o) { o["capture"]["trust"] = "trusted"; }) ==
        "`capture.trust` must be `untrusted`");
}

TEST_CASE("a stream must agree with its counts and its digest") {
  const auto stream = [](const char* key, const ordered_json& value) {
    return problem_after([&](auto& o) { o["capture"]["stdout"][key] = value; });
  };
  const std::string counts = "`capture.stdout.bytes_kept` does not match the stream";
  CHECK(stream("bytes_kept", 5) == counts);
  CHECK(stream("bytes_total", 5) == counts);
  CHECK(stream("bytes_total", 7) == counts);  // cut, but `truncated` is false
  CHECK(stream("truncated", true) == counts);
  CHECK(stream("truncated", nullptr) == counts);
  CHECK(stream("bytes_total", nullptr) == counts);
  CHECK(stream("sha256", nullptr) == counts);
  CHECK(stream("text", "hellO\n") == "`capture.stdout.sha256` is not the digest of the stream");
  CHECK(stream("sha256", "ABC") == "`capture.stdout.sha256` must be 64 hex digits");
  const std::string encoding = "`capture.stdout.encoding` does not match its text or base64";
  CHECK(stream("encoding", "base64") == encoding);
  CHECK(stream("base64", "aGVsbG8K") == encoding);
  CHECK(stream("text", nullptr) == encoding);
}

TEST_CASE("a peer cannot send text that drives a terminal") {
  ordered_json object = ordered_json::parse(report_to_json(sample_report()));
  object["host"]["kernel"] = "6.1\x1b[2J";
  object["seal"]["checks"][0]["observed"] = "0\n1";
  const auto read = report_from_json(object.dump());
  REQUIRE(read);
  CHECK(read->host.kernel == "6.1\\x1b[2J");
  CHECK(read->seal.checks[0].observed == "0\\x0a1");
}

TEST_CASE("bytes that are no report are refused without harm") {
  for (const std::string& text :
       {std::string(), std::string("null"), std::string("[]"), std::string("{}"),
        std::string(100000, '['), std::string("{\"host\":"), std::string("\xff\x00\x01", 3)}) {
    CHECK_FALSE(report_from_json(text));
  }
  const std::string whole = report_to_json(sample_report());
  for (std::size_t cut = 0; cut < whole.size(); cut += 7) {
    CHECK_FALSE(report_from_json(whole.substr(0, cut)));
  }
  CHECK_FALSE(report_from_json(whole + "x"));
}

}  // namespace pybox
