#include "cli/words/program_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/text.hpp"
#include "request/limits.hpp"
#include "request/request.hpp"
#include "sys/fd.hpp"

namespace pybox::cli {
namespace {

constexpr std::string_view kMainName = "main.py";

Error unreadable(std::string what) { return {ErrorKind::Usage, std::move(what)}; }

Result<std::string> read_text(int fd, std::string_view what) {
  auto text = sys::read_to_end(fd, ceiling::kProgramBytes.count);
  if (text) return text;
  if (text.error().kind() == ErrorKind::Refused) {
    return Error(ErrorKind::Refused, std::string(what) + " is larger than " +
                                         human_size(ceiling::kProgramBytes) +
                                         ", the most that a program may have");
  }
  return std::move(text).error().as(ErrorKind::Usage).context(std::string(what));
}

Result<Program> read_file(const std::string& path) {
  if (path.empty()) return unreadable("the program's file name is empty");
  const std::string shown = "`" + visible(path) + "`";
  // O_NONBLOCK: opening a pipe would wait for its writer.
  const sys::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (!fd.is_open() || ::fstat(fd.get(), &info) != 0) {
    return Error::from_errno(errno, "reading the program " + shown).as(ErrorKind::Usage);
  }
  if (S_ISDIR(info.st_mode)) return unreadable(shown + " is a folder, not a program");
  if (!S_ISREG(info.st_mode)) {
    return unreadable(shown + " is a pipe or device, not a file")
        .hint("to read a program from a pipe: `pybox exec -`");
  }
  Program program;
  program.name = path.substr(path.rfind('/') + 1);
  PYBOX_TRY(check_program_name(program.name));
  program.text = PYBOX_TRY(read_text(fd.get(), "the program " + shown));
  return program;
}

}  // namespace

Result<Program> read_program(const ProgramSource& source) {
  switch (source.kind) {
    case ProgramSource::Kind::File: return read_file(source.word);
    case ProgramSource::Kind::Stdin:
      return Program{std::string(kMainName),
                     PYBOX_TRY(read_text(STDIN_FILENO, "the program on stdin"))};
    case ProgramSource::Kind::Code: break;
  }
  if (source.word.size() > ceiling::kProgramBytes.count) {
    return Error(ErrorKind::Refused, "the code is larger than " +
                                         human_size(ceiling::kProgramBytes) +
                                         ", the most that a program may have");
  }
  return Program{std::string(kMainName), source.word};
}

}  // namespace pybox::cli
