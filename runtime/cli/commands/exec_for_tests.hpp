#pragma once
/// One `pybox exec` with a made-up engine, in an installation of its own.

#include <stdlib.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "base/digest.hpp"
#include "cli/commands/exec_run.hpp"
#include "cli/terminal/capture_for_tests.hpp"
#include "receipt/keys.hpp"
#include "receipt/sample_for_tests.hpp"
#include "receipt/store.hpp"
#include "receipt/verify.hpp"
#include "run/fake_engine_for_tests.hpp"
#include "sys/file.hpp"

namespace pybox::cli {

namespace fs = std::filesystem;

/// One `pybox exec` in an installation of its own.
class Run {
 public:
  Run() : home(fs::temp_directory_path() / ("exec-" + random_hex(6))) {
    fs::create_directory(home);
    ::setenv("PYBOX_HOME", (home / "pybox").c_str(), 1);
    ::setenv("XDG_CONFIG_HOME", (home / "config").c_str(), 1);
    ::unsetenv("PYBOX_ENGINE");
    options.program = {ProgramSource::Kind::Code, "print('hello')"};
    parts.run.find_image = [](const sys::StateDirs&, std::string_view name,
                              std::string_view python) -> Result<store::Image> {
      if (name == "stdlib" && python == "3.13") {
        return store::Image{"stdlib", "sha256:" + sha256_hex("image"), "3.13", "", ""};
      }
      return Error(ErrorKind::Refused, "there is no image `" + std::string(name) + "`");
    };
    behaviour = [](const link::RunOrder&, const engine::Console& console) {
      engine::RunAnswer answer;
      answer.report = sample_report();
      if (console.output) console.output(1, "hello\n");
      return answer;
    };
    parts.run.make_engine = [this](EngineKind kind) {
      engine_kind = kind;
      return std::make_unique<run::FakeEngine>([this](const auto& order, const auto& console) {
        was_run = true;
        seen = order;
        return behaviour(order, console);
      });
    };
  }
  ~Run() { fs::remove_all(home); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// The exit code, 2 for an Error, whose texts become err.
  int go() {
    Captured captured;
    auto code = run_exec(options, parts);
    captured.stop();
    out = captured.out();
    err = captured.err();
    if (code) return *code;
    CHECK(code.error().kind() == ErrorKind::Usage);
    err += error_text(code.error(), false);
    return 2;
  }

  sys::StateDirs dirs() const { return sys::state_dirs().value(); }

  /// The one receipt that was kept, verified.
  Receipt receipt() const {
    const auto kept = list_receipts(dirs());
    REQUIRE(kept.size() == 1);
    const std::string text = sys::read_file(kept[0].file).value();
    const PublicKey key = load_public_key(public_key_file(dirs())).value();
    auto verified = verify_receipt(text, key);
    INFO((verified ? "" : verified.error().message()));
    REQUIRE(verified);
    return std::move(verified->receipt);
  }

  void settings(std::string_view text) const {
    fs::create_directories(home / "config/pybox");
    std::ofstream(home / "config/pybox/config.json") << text;
  }

  fs::path home;
  ExecOptions options;
  ExecParts parts;
  run::Behaviour behaviour;
  std::optional<EngineKind> engine_kind;
  std::optional<link::RunOrder> seen;
  bool was_run = false;
  std::string out;
  std::string err;
};

}  // namespace pybox::cli
