#include "base/error.hpp"

#include <cstring>

namespace pybox {

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Usage: return "usage";
    case ErrorKind::Refused: return "refused";
    case ErrorKind::HostCannot: return "host_cannot";
    case ErrorKind::NotRunning: return "not_running";
    case ErrorKind::Io: return "io";
    case ErrorKind::Protocol: return "protocol";
    case ErrorKind::Evidence: return "evidence";
    case ErrorKind::Interrupted: return "interrupted";
    case ErrorKind::Internal: return "internal";
  }
  return "internal";
}

Error Error::from_errno(int code, std::string_view doing) {
  std::string text(doing);
  text += ": ";
  text += strerrordesc_np(code) != nullptr ? strerrordesc_np(code) : "unknown error";
  Error error(ErrorKind::Io, std::move(text));
  error.errno_code_ = code;
  return error;
}

std::string Error::message() const {
  std::string text;
  for (auto it = contexts_.rbegin(); it != contexts_.rend(); ++it) {
    text += *it;
    text += ": ";
  }
  return text + what_;
}

}  // namespace pybox
