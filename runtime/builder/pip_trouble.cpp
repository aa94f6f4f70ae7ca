#include "builder/pip_trouble.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "pypi/pin.hpp"

namespace pybox::builder {
namespace {

constexpr std::size_t kShownLines = 6;

bool has(std::string_view text, std::string_view phrase) {
  return text.find(phrase) != std::string_view::npos;
}

template <std::size_t N>
bool has_any(std::string_view text, const std::array<std::string_view, N>& phrases) {
  return std::any_of(phrases.begin(), phrases.end(),
                     [&](std::string_view phrase) { return has(text, phrase); });
}

// Sources: pip's _internal/network, urllib3's exceptions, OpenSSL, strerror(3), uv's and reqwest's
// messages.
constexpr std::array<std::string_view, 5> kCertificatePhrases = {
    "CERTIFICATE_VERIFY_FAILED", "SSLCertVerificationError", "invalid peer certificate",
    "UnknownIssuer", "is not a trusted or secure host"};
constexpr std::array<std::string_view, 13> kNetworkPhrases = {
    "NewConnectionError",
    "NameResolutionError",
    "Temporary failure in name resolution",
    "Name or service not known",
    "Connection refused",
    "Network is unreachable",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "Connection aborted",
    "ProxyError",
    "error sending request",
    "dns error",
    "Failed to fetch"};

/// "name==version" between `before` and the next blank.
std::string word_after(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + before.size());
  return std::string(text.substr(0, std::min<std::size_t>(text.find_first_of(" \r\n"), 200)));
}

/// Whether a file of that release is named: ".../docopt-0.6.2.tar.gz",
/// ".../a_b-1.0-py3-none-any.whl".
bool names_release(std::string_view file, std::string_view name, std::string_view version) {
  const std::string plain = pypi::normalised_name(file);
  const std::string wanted =
      pypi::normalised_name(name) + "-" + pypi::normalised_name(version) + "-";
  if (!plain.starts_with(wanted) || plain.size() == wanted.size()) return false;
  const char next = plain[wanted.size()];
  return next < '0' || next > '9';
}

struct Seen {
  bool package = false;
  bool release = false;
};

/// What pip's log says it passed over or found for a package.
Seen seen_in(std::string_view log, std::string_view name, std::string_view version) {
  Seen seen;
  const std::string prefix = pypi::normalised_name(name) + "-";
  while (!log.empty()) {
    std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    if (!has(line, "Skipping link: ") && !has(line, "Found link ")) continue;
    const std::size_t from = line.find(" (from ");
    line = line.substr(0, from);
    const std::string_view file = line.substr(line.rfind('/') + 1);
    if (!pypi::normalised_name(file).starts_with(prefix)) continue;
    seen.package = true;
    seen.release = seen.release || names_release(file, name, version);
  }
  return seen;
}

std::string last_lines(std::string_view said) {
  while (!said.empty() && (said.back() == '\n' || said.back() == '\r')) said.remove_suffix(1);
  std::size_t start = said.size();
  for (std::size_t i = 0; i < kShownLines && start != std::string_view::npos && start > 0; ++i)
    start = said.rfind('\n', start - 1);
  if (start == std::string_view::npos) return visible(said, Lines::Keep);
  return visible(said.substr(start + (start < said.size() ? 1 : 0)), Lines::Keep);
}

Error no_wheel(const std::string& subject, std::string_view python) {
  return Error(ErrorKind::HostCannot, "there is no wheel of " + subject + " for Python " +
                                          std::string(python) + " on this platform")
      .hint(
          "PyBox installs wheels only, since building a package runs its code: pin a version that "
          "has one, or take another --python");
}

}  // namespace

PipFinding trouble_in_pip(std::string_view said, std::string_view log) {
  if (has(said, "No space left on device")) return {PipTrouble::NoSpace, {}};
  if (has(said, "DO NOT MATCH THE HASHES")) {
    const std::size_t at = said.find("DO NOT MATCH THE HASHES");
    return {PipTrouble::WrongHash, word_after(said.substr(said.find('\n', at) + 1), "    ")};
  }
  if (has_any(said, kCertificatePhrases)) return {PipTrouble::NoCertificate, {}};
  if (has_any(said, kNetworkPhrases)) return {PipTrouble::NoNetwork, {}};
  const std::string subject = word_after(said, "No matching distribution found for ");
  if (subject.empty()) return {};
  const std::size_t equals = subject.find("==");
  const std::string name = subject.substr(0, equals);
  const std::string version = equals == std::string::npos ? "" : subject.substr(equals + 2);
  const Seen seen = seen_in(log, name, version);
  if (seen.release) return {PipTrouble::NoWheel, subject};
  if (seen.package) return {PipTrouble::UnknownVersion, subject};
  // Without retries pip keeps its trouble with the network to its log.
  if (has_any(log, kCertificatePhrases)) return {PipTrouble::NoCertificate, {}};
  if (has_any(log, kNetworkPhrases)) return {PipTrouble::NoNetwork, {}};
  return {PipTrouble::UnknownPackage, subject};
}

PipFinding trouble_in_uv(std::string_view said) {
  if (has(said, "No space left on device")) return {PipTrouble::NoSpace, {}};
  if (has_any(said, kCertificatePhrases)) return {PipTrouble::NoCertificate, {}};
  if (has_any(said, kNetworkPhrases)) return {PipTrouble::NoNetwork, {}};
  if (has(said, "was not found in the package registry"))
    return {PipTrouble::UnknownPackage, word_after(said, "Because ")};
  if (has(said, "has no usable wheels") || has(said, "have no usable wheels"))
    return {PipTrouble::NoWheel, word_after(said, "Because ")};
  if (has(said, "No solution found")) return {PipTrouble::Unsatisfiable, {}};
  return {};
}

Error pip_error(const PipFinding& finding, std::string_view python, std::string_view said) {
  const std::string subject =
      finding.subject.empty() ? "a package" : "`" + visible(finding.subject) + "`";
  switch (finding.trouble) {
    case PipTrouble::NoNetwork:
      return Error(ErrorKind::HostCannot,
                   "no network: the package index cannot be reached from the builder")
          .hint("check the network, `http_proxy` and pip's `index-url`; nothing was changed");
    case PipTrouble::NoCertificate:
      return Error(ErrorKind::HostCannot,
                   "the package index shows a certificate that this host does not trust")
          .hint(
              "set pip's `cert` (PIP_CERT) to a file with the right certificates, or "
              "`trusted-host`");
    case PipTrouble::WrongHash:
      return Error(ErrorKind::Evidence, "a file of " + subject +
                                            " is not the one that was pinned: its SHA-256 is not "
                                            "among those of the lock")
          .hint(
              "make the lock again with `pybox image lock`; if it happens again, do not trust that "
              "index");
    case PipTrouble::UnknownPackage:
      return Error(ErrorKind::HostCannot, "the package index has no package " + subject)
          .hint("check the name, and which index pip is set to use");
    case PipTrouble::UnknownVersion:
      return Error(ErrorKind::HostCannot, "the package index has no version " + subject)
          .hint("`pybox image lock` finds versions that exist");
    case PipTrouble::NoWheel: return no_wheel(subject, python);
    case PipTrouble::Unsatisfiable:
      return Error(ErrorKind::HostCannot, "no versions fit together for Python " +
                                              std::string(python) + ":\n" + last_lines(said))
          .hint("loosen or change the requirements");
    case PipTrouble::NoSpace:
      return Error(ErrorKind::HostCannot, "the builder ran out of space")
          .hint(
              "free some space, or set PYBOX_HOME to a folder on a larger disk; `--engine native` "
              "builds on the disk instead of in a VM's memory");
    case PipTrouble::Unknown: break;
  }
  return Error(ErrorKind::HostCannot, "the builder failed:\n" + last_lines(said));
}

}  // namespace pybox::builder
