#include "cli/words/program_source.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "base/digest.hpp"
#include "request/limits.hpp"

namespace pybox::cli {
namespace {

namespace fs = std::filesystem;

struct SourceFolder {
  SourceFolder() : path(fs::temp_directory_path() / ("program-" + random_hex(6))) {
    fs::create_directory(path);
  }
  ~SourceFolder() { fs::remove_all(path); }
  SourceFolder(const SourceFolder&) = delete;
  SourceFolder& operator=(const SourceFolder&) = delete;
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }
  fs::path path;
};

Result<Program> from_file(const std::string& path) {
  return read_program({ProgramSource::Kind::File, path});
}

std::string problem(const std::string& path) {
  const auto program = from_file(path);
  return program ? "" : program.error().message();
}

}  // namespace

TEST_CASE("a program keeps its file name and every byte") {
  const SourceFolder folder;
  const std::string text("print(1)\r\n\0\xff", 12);
  const auto program = from_file(folder.file("größe 1.py", text));
  REQUIRE(program);
  CHECK(program->name == "größe 1.py");
  CHECK(program->text == text);
  CHECK(from_file(folder.file("empty.py", ""))->text.empty());
}

TEST_CASE("code from the command line is main.py") {
  const auto program = read_program({ProgramSource::Kind::Code, "print(1)"});
  REQUIRE(program);
  CHECK(program->name == "main.py");
  CHECK(program->text == "print(1)");
  const auto large =
      read_program({ProgramSource::Kind::Code, std::string(ceiling::kProgramBytes.count + 1, ' ')});
  REQUIRE_FALSE(large);
  CHECK(large.error().kind() == ErrorKind::Refused);
  CHECK(large.error().message() ==
        "the code is larger than 4 MiB, the most that a program may have");
}

TEST_CASE("what is not a program file is wrong usage, and says what it is") {
  const SourceFolder folder;
  const std::string gone = (folder.path / "gone.py").string();
  CHECK(problem("") == "the program's file name is empty");
  CHECK(problem(gone) == "reading the program `" + gone + "`: No such file or directory");
  CHECK(problem(folder.path.string()) ==
        "`" + folder.path.string() + "` is a folder, not a program");
  CHECK(problem(folder.path.string() + "/") ==
        "`" + folder.path.string() + "/` is a folder, not a program");
  const std::string fifo = (folder.path / "fifo").string();
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const auto pipe = from_file(fifo);
  REQUIRE_FALSE(pipe);
  CHECK(pipe.error().message() == "`" + fifo + "` is a pipe or device, not a file");
  CHECK(pipe.error().hint() == "to read a program from a pipe: `pybox exec -`");
  CHECK(problem("/dev/zero") == "`/dev/zero` is a pipe or device, not a file");
  for (const std::string& path : {std::string(), gone, fifo, folder.path.string()}) {
    CHECK(from_file(path).error().kind() == ErrorKind::Usage);
  }
}

TEST_CASE("a program that may not be read is named") {
  const SourceFolder folder;
  const std::string path = folder.file("secret.py", "1");
  ::chmod(path.c_str(), 0);
  const uid_t self = ::geteuid();
  if (self == 0) REQUIRE(::seteuid(65534) == 0);  // root may read everything
  const std::string told = problem(path);
  if (self == 0) REQUIRE(::seteuid(0) == 0);
  CHECK(told == "reading the program `" + path + "`: Permission denied");
}

TEST_CASE("a program that is too large or named badly is refused") {
  const SourceFolder folder;
  const std::string most(ceiling::kProgramBytes.count, '#');
  CHECK(from_file(folder.file("most.py", most)));
  const std::string large = folder.file("large.py", most + "#");
  CHECK(problem(large) ==
        "the program `" + large + "` is larger than 4 MiB, the most that a program may have");
  CHECK(from_file(large).error().kind() == ErrorKind::Refused);
  const auto named = from_file(folder.file("a\nb.py", "1"));
  REQUIRE_FALSE(named);
  CHECK(named.error().kind() == ErrorKind::Refused);
}

}  // namespace pybox::cli
