#pragma once
/// What went wrong in PyBox's own work, with enough context to print a good message.
/// An Error is never the outcome of a program in a box: a killed box is a successful answer.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pybox {

/// Few kinds; the kind picks the exit code (cli/terminal/exit_code.hpp).
enum class ErrorKind {
  Usage,        ///< wrong words on the command line
  Refused,      ///< refused before any box was made (ceiling, unknown image, unsealable host)
  HostCannot,   ///< this host lacks something PyBox needs
  NotRunning,   ///< the engine is not running
  Io,           ///< a system call failed
  Protocol,     ///< the other side broke the agreed format
  Evidence,     ///< a signature, digest or record does not hold
  Interrupted,  ///< the user stopped it
  Internal,     ///< a PyBox fault
};

std::string_view name_of(ErrorKind kind);

class Error {
 public:
  Error(ErrorKind kind, std::string what) : kind_(kind), what_(std::move(what)) {}

  /// An Error of kind Io: "<doing>: <strerror(code)>". Takes errno explicitly so that the caller
  /// captures it before anything else can disturb it.
  static Error from_errno(int code, std::string_view doing);

  ErrorKind kind() const { return kind_; }
  int errno_code() const { return errno_code_; }
  const std::string& hint() const { return hint_; }

  /// Adds what the caller was doing; contexts are printed outermost first.
  Error&& context(std::string text) && {
    contexts_.push_back(std::move(text));
    return std::move(*this);
  }
  /// What the user can do about it; printed on its own line. The first hint wins.
  Error&& hint(std::string text) && {
    if (hint_.empty()) hint_ = std::move(text);
    return std::move(*this);
  }
  Error&& as(ErrorKind kind) && {
    kind_ = kind;
    return std::move(*this);
  }

  /// One line without the hint: "outer: inner: what".
  std::string message() const;

 private:
  ErrorKind kind_;
  int errno_code_ = 0;
  std::string what_;
  std::vector<std::string> contexts_;
  std::string hint_;
};

}  // namespace pybox
