#pragma once
/// Golden files: whole texts that people read, kept beside the code. With PYBOX_ACCEPT=1 a test
/// writes the file anew and is skipped, so that accepting is never mistaken for passing.

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "sys/file.hpp"

namespace pybox {

/// `path` is relative to the root of the source tree.
inline void check_golden(const std::string& path, std::string_view text) {
  const std::filesystem::path file = std::filesystem::path(PYBOX_SOURCE_DIR) / path;
  if (std::getenv("PYBOX_ACCEPT") != nullptr) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    SKIP("accepted " + path);
  }
  const auto golden = sys::read_file(file);
  INFO("golden file " << path << "; PYBOX_ACCEPT=1 writes it anew");
  REQUIRE(golden.has_value());
  CHECK(*golden == text);
}

}  // namespace pybox
