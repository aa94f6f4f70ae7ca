#pragma once
/// A folder of its own for one test, removed with it.

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/digest.hpp"
#include "sys/fd.hpp"

namespace pybox::files {

class TestFolder {
 public:
  TestFolder() : path(std::filesystem::temp_directory_path() / ("files-" + random_hex(6))) {
    std::filesystem::create_directory(path);
    fd_ = sys::Fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ~TestFolder() { std::filesystem::remove_all(path); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  int fd() const { return fd_.get(); }
  std::string at(const std::string& name) const { return path / name; }
  void file(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << text;
  }
  std::string text(const std::string& name) const {
    std::ifstream in(path / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const std::filesystem::path path;

 private:
  sys::Fd fd_;
};

}  // namespace pybox::files
