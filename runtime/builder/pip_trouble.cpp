#include "builder/pip_trouble.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.hpp"
#include "pypi/pin.hpp"

namespace pybox::builder {
namespace {

constexpr std::size_t kShownLines = 6;
constexpr std::size_t kShownBytes = 300;

// pip's words for urllib3's errors, and uv's.
constexpr std::array<std::string_view, 7> kUnreachable = {
    "NewConnectionError", "NameResolutionError", "ConnectTimeoutError",
    "ReadTimeoutError",   "ProxyError",          "SSLError",
    "Failed to fetch"};

bool has(std::string_view text, std::string_view phrase) {
  return text.find(phrase) != std::string_view::npos;
}

/// The first word after `before`, in ticks: "`name==version`".
std::string subject_after(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return "a package";
  text.remove_prefix(at + before.size());
  return "`" + visible(take_word(text).substr(0, 200)) + "`";
}

/// The line that tells why the index cannot be reached; empty when it can.
std::string unreachable_line(std::string_view said) {
  while (!said.empty()) {
    const std::string_view line = take_line(said);
    if (std::any_of(kUnreachable.begin(), kUnreachable.end(),
                    [&](std::string_view phrase) { return has(line, phrase); }))
      return visible(line.substr(0, kShownBytes));
  }
  return {};
}

/// Whether pip's log names a file of the release `name==version`: ".../docopt-0.6.2.tar.gz".
bool is_released(std::string_view log, const std::string& pin) {
  const std::string wanted = "/" + pypi::normalised_name(pin.substr(0, pin.find("=="))) + "-" +
                             pypi::normalised_name(pin.substr(pin.find("==") + 2)) + "-";
  const std::string plain = pypi::normalised_name(log);
  for (std::size_t at = plain.find(wanted); at != std::string::npos;
       at = plain.find(wanted, at + 1)) {
    // Where a digit comes next it is another version: 0.6.2.1.
    const std::size_t end = at + wanted.size();
    if (end == plain.size() || plain[end] < '0' || plain[end] > '9') return true;
  }
  return false;
}

std::string last_lines(std::string_view said) {
  said = said.substr(0, said.find_last_not_of("\r\n") + 1);
  std::size_t start = said.size();
  for (std::size_t i = 0; i < kShownLines && start != std::string_view::npos && start > 0; ++i)
    start = said.rfind('\n', start - 1);
  return visible(said.substr(start == std::string_view::npos ? 0 : start + 1), Lines::Keep);
}

Error unreachable(const std::string& why) {
  return Error(ErrorKind::HostCannot,
               "the package index cannot be reached from the builder:\n  " + why)
      .hint(
          "check the network, `http_proxy`, and pip's `index-url` and `cert`; nothing was "
          "changed");
}

Error no_wheel(const std::string& subject, std::string_view python) {
  return Error(ErrorKind::HostCannot, "there is no wheel of " + subject + " for Python " +
                                          std::string(python) + " on this platform")
      .hint(
          "PyBox installs wheels only, since building a package runs its code: pin a version that "
          "has one, or take another --python");
}

Error unknown(const std::string& subject) {
  return Error(ErrorKind::HostCannot, "the package index has no " + subject)
      .hint(
          "check the name, and which index pip is set to use; `pybox image lock` finds versions "
          "that exist");
}

Error wrong_hash(std::string_view said) {
  take_line(said);
  return Error(ErrorKind::Evidence, "a file of " + subject_after(said, "    ") +
                                        " is not the one that was pinned: its SHA-256 is not among "
                                        "those of the lock")
      .hint(
          "make the lock again with `pybox image lock`; if it happens again, do not trust that "
          "index");
}

Error other(std::string_view said) {
  return Error(ErrorKind::HostCannot, "the builder failed:\n" + last_lines(said));
}

}  // namespace

Error out_of_space() {
  return Error(ErrorKind::HostCannot, "the builder ran out of space")
      .hint(
          "free some space, or set PYBOX_HOME to a folder on a larger disk; `--engine native` "
          "builds on the disk instead of in a VM's memory");
}

Error pip_error(std::string_view said, std::string_view log, std::string_view python) {
  constexpr std::string_view kMismatch = "DO NOT MATCH THE HASHES";
  constexpr std::string_view kNoMatch = "No matching distribution found for ";
  if (has(said, "No space left on device")) return out_of_space();
  if (has(said, kMismatch)) return wrong_hash(said.substr(said.find(kMismatch)));
  // Without retries pip keeps its trouble with the network to its log.
  for (const std::string_view text : {said, log}) {
    if (const std::string why = unreachable_line(text); !why.empty()) return unreachable(why);
  }
  if (!has(said, kNoMatch)) return other(said);
  std::string_view rest = said.substr(said.find(kNoMatch) + kNoMatch.size());
  const std::string subject = subject_after(said, kNoMatch);
  return is_released(log, std::string(take_word(rest))) ? no_wheel(subject, python)
                                                        : unknown(subject);
}

Error uv_error(std::string_view said, std::string_view python) {
  if (has(said, "No space left on device")) return out_of_space();
  if (const std::string why = unreachable_line(said); !why.empty()) return unreachable(why);
  const std::string subject = subject_after(said, "Because ");
  if (has(said, "was not found in the package registry")) return unknown(subject);
  if (has(said, "no usable wheels")) return no_wheel(subject, python);
  if (!has(said, "No solution found")) return other(said);
  return Error(ErrorKind::HostCannot, "no versions fit together for Python " + std::string(python) +
                                          ":\n" + last_lines(said))
      .hint("loosen or change the requirements");
}

}  // namespace pybox::builder
