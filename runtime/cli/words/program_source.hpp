#pragma once
/// Where the program's text comes from: a file, `-c CODE`, or stdin.

#include <string>

#include "base/result.hpp"

namespace pybox::cli {

struct ProgramSource {
  enum class Kind { File, Code, Stdin };
  Kind kind = Kind::File;
  std::string word;  ///< the path, or the code
};

struct Program {
  std::string name;  ///< its file name in the box
  std::string text;
};

/// Reads it whole. Errors of kind Usage: no such file, a folder, a pipe, not readable, an empty
/// name; of kind Refused: larger than ceiling::kProgramBytes, a file name the box cannot have.
Result<Program> read_program(const ProgramSource& source);

/// What the program's stdin is.
struct StdinSource {
  enum class Kind { Empty, Caller, File };
  Kind kind = Kind::Empty;
  std::string path;
};

}  // namespace pybox::cli
