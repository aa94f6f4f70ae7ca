#pragma once
/// A scratch copy of a sample folder, with reports, removed at the end of a test.

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "receipt/signature.hpp"
#include "reports/write.hpp"
#include "sys/file.hpp"

namespace pybox::reports {

class SampleFolder {
 public:
  explicit SampleFolder(const std::string& sample) {
    std::string name = (std::filesystem::temp_directory_path() / "pybox-reports-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
    std::filesystem::copy(std::string(REPORTS_SAMPLES) + "/" + sample, path_,
                          std::filesystem::copy_options::recursive);
  }
  ~SampleFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  SampleFolder(const SampleFolder&) = delete;
  SampleFolder& operator=(const SampleFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string read(const std::string& name) const {
    return sys::read_file(path_ / name, 256_MiB).value();
  }
  void put(const std::string& name, std::string_view text) const {
    REQUIRE(sys::replace_file(path_ / name, text, 0644).has_value());
  }
  /// Signs the plan and writes every report.
  void finish(const SigningKey& key) const {
    REQUIRE(sign_plan(path_, key).has_value());
    const auto written = write_reports(path_, key);
    INFO((written ? "" : written.error().message()));
    REQUIRE(written.has_value());
  }

 private:
  std::filesystem::path path_;
};

/// The same key in every test, so that what is signed stays the same.
inline SigningKey test_key() {
  KeySeed seed{};
  for (std::size_t at = 0; at < seed.size(); ++at) seed[at] = static_cast<std::uint8_t>(at);
  return SigningKey(seed);
}

}  // namespace pybox::reports
