#include <stdlib.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "base/digest.hpp"
#include "request/settings.hpp"

namespace pybox {
namespace {

namespace fs = std::filesystem;

/// A settings file of this test's own, removed with it.
class SettingsFile {
 public:
  explicit SettingsFile(std::string_view text)
      : folder_(fs::temp_directory_path() / ("settings-" + random_hex(6))) {
    fs::create_directory(folder_);
    std::ofstream(path()) << text;
  }
  ~SettingsFile() { fs::remove_all(folder_); }
  SettingsFile(const SettingsFile&) = delete;
  SettingsFile& operator=(const SettingsFile&) = delete;
  fs::path path() const { return folder_ / "config.json"; }

 private:
  fs::path folder_;
};

/// The message without the file's name, which must lead it.
std::string problem_of(std::string_view text) {
  const SettingsFile file(text);
  const auto loaded = load_settings(file.path());
  if (loaded) return "";
  const std::string lead = file.path().string() + ": ";
  const std::string message = loaded.error().message();
  CHECK(message.starts_with(lead));
  CHECK(loaded.error().kind() == ErrorKind::Usage);
  return message.substr(std::min(lead.size(), message.size()));
}

}  // namespace

TEST_CASE("no settings file means the defaults") {
  const auto settings = load_settings("/nonexistent/pybox/config.json");
  REQUIRE(settings);
  CHECK_FALSE(settings->engine);
  CHECK(settings->max_timeout == std::chrono::seconds(30));
  CHECK_FALSE(settings->vm_memory);
}

TEST_CASE("every setting is read") {
  const SettingsFile file(R"({
    // the host has no KVM
    "engine": "native", "max_timeout_s": 120.5, "ready_boxes": 0, "vm_memory_bytes": 1073741824,
    "vm_cpus": 2, "vm_accelerator": "tcg"})");
  const auto settings = load_settings(file.path());
  REQUIRE(settings);
  CHECK(settings->engine == EngineKind::Native);
  CHECK(settings->max_timeout == Millis(120500));
  CHECK(settings->ready_boxes == 0U);
  CHECK(settings->vm_memory == Bytes{1073741824});
  CHECK(settings->vm_cpus == 2U);
  CHECK(settings->vm_accelerator == "tcg");
}

TEST_CASE("a settings file with a mistake is an error that names file and key") {
  CHECK(problem_of("{") == "not JSON at byte 2");
  CHECK(problem_of("[]") == "the JSON text must be an object");
  CHECK(problem_of(R"({"engine":"vm","engine":"native"})") == "the key `engine` appears twice");
  CHECK(problem_of(R"({"max_timeout":3})") == "unknown key `max_timeout`");
  CHECK(problem_of(R"({"engine":1})") == "`engine` must be text");
  CHECK(problem_of(R"({"engine":"docker"})") ==
        "`engine` names the engine `docker`; it must be vm or native");
  CHECK(problem_of(R"({"engine":"unsealed"})") ==
        "`engine` names the engine `unsealed`; it must be vm or native");
  for (const char* wrong : {"301", "0", "-1", "\"30\"", "1e-12", "true"}) {
    CHECK(problem_of(R"({"max_timeout_s":)" + std::string(wrong) + "}") ==
          "`max_timeout_s` must be a number above 0 and at most 300");
  }
  CHECK(problem_of(R"({"ready_boxes":65})") == "`ready_boxes` must be a whole number from 0 to 64");
  CHECK(problem_of(R"({"ready_boxes":1.5})") ==
        "`ready_boxes` must be a whole number from 0 to 64");
  CHECK(problem_of(R"({"vm_memory_bytes":1024})") ==
        "`vm_memory_bytes` must be a whole number from 536870912 to 1099511627776");
  CHECK(problem_of(R"({"vm_cpus":0})") == "`vm_cpus` must be a whole number from 1 to 256");
  CHECK(problem_of(R"({"vm_accelerator":"xen"})") ==
        "`vm_accelerator` names `xen`; it must be auto, kvm or tcg");
}

TEST_CASE("a settings file that cannot be read is an error, not the defaults") {
  const auto loaded = load_settings(fs::temp_directory_path());
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().kind() == ErrorKind::Usage);
  CHECK(loaded.error().message() ==
        "reading " + fs::temp_directory_path().string() + ": Is a directory");
}

TEST_CASE("a misspelt engine offers the nearest") {
  const auto choice = engine_choice("nativ", "PYBOX_ENGINE");
  REQUIRE_FALSE(choice);
  CHECK(choice.error().message() ==
        "PYBOX_ENGINE names the engine `nativ`; it must be vm or native");
  CHECK(choice.error().hint() == "did you mean `native`?");
  CHECK(engine_choice("vm", "--engine").value() == EngineKind::Vm);
}

}  // namespace pybox
