#include "run/conductor.hpp"

#include <stdlib.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "base/digest.hpp"
#include "receipt/keys.hpp"
#include "receipt/sample_for_tests.hpp"
#include "receipt/store.hpp"
#include "receipt/verify.hpp"
#include "run/fake_engine_for_tests.hpp"
#include "sys/file.hpp"

namespace pybox::run {
namespace {

namespace fs = std::filesystem;

engine::RunAnswer sample_answer() {
  engine::RunAnswer answer;
  answer.host = {"tcg", "shared"};
  answer.report = sample_report();
  return answer;
}

/// An installation of this test's own, with one image and a made-up engine.
struct Stage {
  Stage() : home(fs::temp_directory_path() / ("conductor-" + random_hex(6))) {
    ::setenv("PYBOX_HOME", home.c_str(), 1);
    parts.find_image = [](const sys::StateDirs&, std::string_view name,
                          std::string_view) -> Result<store::Image> {
      if (name == "stdlib") return store::Image{"stdlib", "sha256:1", "3.13", "/tree", "/disk"};
      return Error(ErrorKind::Refused, "there is no image `" + std::string(name) + "`");
    };
    parts.make_engine = [this](EngineKind) {
      ++engines_made;
      return std::make_unique<FakeEngine>([this](const auto& order, const auto&) {
        seen = order;
        return behaviour();
      });
    };
    request.program = "print(1)";
  }
  ~Stage() {
    ::unsetenv("PYBOX_HOME");
    fs::remove_all(home);
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  Conductor conductor() { return Conductor(parts, request); }

  fs::path home;
  Parts parts;
  Request request;
  std::function<Result<engine::RunAnswer>()> behaviour = sample_answer;
  std::optional<link::RunOrder> seen;
  int engines_made = 0;
};

}  // namespace

TEST_CASE("a run's order, receipt and kept file speak of the same run") {
  Stage stage;
  Conductor conductor = stage.conductor();
  CHECK_FALSE(conductor.carry_out({}));
  const Receipt& receipt = conductor.receipt();
  REQUIRE(stage.seen);
  CHECK(stage.seen->receipt_id == receipt.receipt_id);
  CHECK(stage.seen->created_at == receipt.created_at);
  CHECK(stage.seen->code_sha256 == sha256_hex("print(1)"));
  CHECK(stage.seen->request.program == "print(1)");
  CHECK(stage.seen->image_id == "sha256:1");
  CHECK_FALSE(stage.seen->stream_output);
  CHECK_FALSE(stage.seen->has_stdin);
  CHECK(receipt.image_id == "sha256:1");
  CHECK(receipt.accelerator == "tcg");
  CHECK(receipt.report.outcome.exit_code == 0);
  REQUIRE(conductor.keep(conductor.signed_receipt()));
  const sys::StateDirs dirs = sys::state_dirs().value();
  const auto kept = list_receipts(dirs);
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].id == receipt.receipt_id);
  const auto key = load_public_key(public_key_file(dirs));
  REQUIRE(key);
  CHECK(verify_receipt(sys::read_file(kept[0].file).value(), *key));
}

TEST_CASE("output is streamed and stdin read only when the caller takes and gives them") {
  Stage stage;
  Conductor conductor = stage.conductor();
  engine::Console console;
  console.output = [](int, std::string_view) {};
  console.stdin_fd = 0;
  CHECK_FALSE(conductor.carry_out(console));
  CHECK(stage.seen->stream_output);
  CHECK(stage.seen->has_stdin);
}

TEST_CASE("only the native engine is told where the image's tree stands") {
  for (const auto kind : {EngineKind::Native, EngineKind::Vm}) {
    Stage stage;
    stage.request.engine = kind;
    Conductor conductor = stage.conductor();
    CHECK_FALSE(conductor.carry_out({}));
    CHECK(stage.seen->rootfs == (kind == EngineKind::Native ? "/tree" : ""));
  }
}

TEST_CASE("an engine that got ready ahead is the one that runs") {
  Stage stage;
  bool used = false;
  Conductor conductor(stage.parts, stage.request,
                      std::make_unique<FakeEngine>([&](const auto&, const auto&) {
                        used = true;
                        return sample_answer();
                      }));
  CHECK_FALSE(conductor.carry_out({}));
  CHECK(used);
  CHECK(stage.engines_made == 0);
}

TEST_CASE("an image that is not there is refused before any engine is asked") {
  Stage stage;
  stage.request.image = "nothing";
  Conductor conductor = stage.conductor();
  const auto trouble = conductor.carry_out({});
  REQUIRE(trouble);
  CHECK(trouble->kind() == ErrorKind::Refused);
  CHECK(stage.engines_made == 0);
  CHECK(conductor.receipt().report.outcome.observation == Observation::NotStarted);
  CHECK(conductor.receipt().report.cleanup.status == Cleanup::Status::NotAttempted);
}

TEST_CASE("a receipt that could not be kept is noticed before anything starts") {
  Stage stage;
  fs::create_directory(stage.home);
  fs::permissions(stage.home, fs::perms::owner_all);
  std::ofstream(stage.home / "receipts") << "in the way";
  Conductor conductor = stage.conductor();
  CHECK(conductor.carry_out({}));
  CHECK_FALSE(stage.seen);
  CHECK_FALSE(conductor.keep(conductor.signed_receipt()));
}

TEST_CASE("what the engine could not do makes the receipt of a run that never started") {
  Stage stage;
  stage.behaviour = []() -> Result<engine::RunAnswer> {
    return Error(ErrorKind::NotRunning, "the VM is not running").hint("start it");
  };
  Conductor conductor = stage.conductor();
  const auto trouble = conductor.carry_out({});
  REQUIRE(trouble);
  CHECK(trouble->kind() == ErrorKind::NotRunning);
  CHECK(conductor.receipt().report.outcome.observation == Observation::NotStarted);
  CHECK(conductor.receipt().hints == std::vector<std::string>{"start it"});
  CHECK(conductor.keep(conductor.signed_receipt()));
}

TEST_CASE("what boxd refused is a refusal, what it could not do is not") {
  for (const bool refused : {true, false}) {
    Stage stage;
    stage.behaviour = [&]() -> Result<engine::RunAnswer> {
      engine::RunAnswer answer;
      answer.report.failure = {refused, "no memory controller", "mount one"};
      return answer;
    };
    Conductor conductor = stage.conductor();
    const auto trouble = conductor.carry_out({});
    REQUIRE(trouble);
    CHECK(trouble->kind() == (refused ? ErrorKind::Refused : ErrorKind::HostCannot));
    CHECK(trouble->hint() == "mount one");
    CHECK(conductor.receipt().report.outcome.evidence.back() ==
          "not started: no memory controller");
  }
}

TEST_CASE("a lost box and an unconfirmed removal are PyBox's own trouble") {
  Stage stage;
  stage.behaviour = []() -> Result<engine::RunAnswer> {
    engine::RunAnswer answer = sample_answer();
    answer.report.cleanup.status = Cleanup::Status::Unconfirmed;
    return answer;
  };
  Conductor unconfirmed = stage.conductor();
  const auto not_removed = unconfirmed.carry_out({});
  REQUIRE(not_removed);
  CHECK(not_removed->message() == "the removal of the box is not confirmed");
  stage.behaviour = []() -> Result<engine::RunAnswer> {
    engine::RunAnswer answer;
    answer.report.outcome.observation = Observation::BoxLost;
    return answer;
  };
  Conductor lost = stage.conductor();
  const auto trouble = lost.carry_out({});
  REQUIRE(trouble);
  CHECK(trouble->kind() == ErrorKind::HostCannot);
}

TEST_CASE("files that were asked for and did not come are said not to have come") {
  Stage stage;
  stage.request.return_files = true;
  stage.behaviour = []() -> Result<engine::RunAnswer> {
    engine::RunAnswer answer;
    answer.report.outcome.observation = Observation::BoxLost;
    return answer;
  };
  Conductor conductor = stage.conductor();
  CHECK(conductor.carry_out({}));
  CHECK(conductor.receipt().report.files.status == Files::Status::NotReceived);
}

TEST_CASE("a refusal is kept and signed like a run") {
  Stage stage;
  Conductor conductor = stage.conductor();
  const Error why = conductor.refuse(Error(ErrorKind::Refused, "too long").hint("ask for less"));
  CHECK(why.message() == "too long");
  CHECK(conductor.receipt().report.outcome.observation == Observation::NotStarted);
  const std::string text = conductor.signed_receipt();
  CHECK(receipt_from_json(text));
  CHECK(text.find("\"sig\"") != std::string::npos);
  CHECK(conductor.keep(text));
  CHECK_FALSE(stage.seen);
}

TEST_CASE("without a key the receipt says so instead of being lost") {
  Stage stage;
  std::ofstream(stage.home) << "a file where the home should be";
  Conductor conductor = stage.conductor();
  CHECK(conductor.carry_out({}));
  CHECK(conductor.key() == nullptr);
  CHECK(conductor.signed_receipt().find("\"signature\": null") != std::string::npos);
}

}  // namespace pybox::run
