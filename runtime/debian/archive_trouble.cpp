#include "debian/archive_trouble.hpp"

#include <array>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "sys/tools.hpp"

namespace pybox::debian {
namespace {

using Phrase = std::pair<std::string_view, ArchiveTrouble>;

// In this order: a full disk also makes signatures fail, and a wrong clock too. Sources: apt's
// methods/connect.cc, methods/gpgv.cc, apt-pkg/acquire-item.cc; strerror(3).
constexpr std::array<Phrase, 20> kPhrases = {{
    {"No space left on device", ArchiveTrouble::NoSpace},
    {"enough free space", ArchiveTrouble::NoSpace},
    {"is not valid yet", ArchiveTrouble::Clock},
    {"is expired (invalid since", ArchiveTrouble::Clock},
    {"Temporary failure resolving", ArchiveTrouble::NoNetwork},
    {"Could not resolve", ArchiveTrouble::NoNetwork},
    {"Could not connect", ArchiveTrouble::NoNetwork},
    {"Cannot initiate the connection", ArchiveTrouble::NoNetwork},
    {"Unable to connect", ArchiveTrouble::NoNetwork},
    {"onnection timed out", ArchiveTrouble::NoNetwork},
    {"Connection failed", ArchiveTrouble::NoNetwork},
    {"NO_PUBKEY", ArchiveTrouble::NotTrusted},
    {"EXPKEYSIG", ArchiveTrouble::NotTrusted},
    {"BADSIG", ArchiveTrouble::NotTrusted},
    {"Missing key", ArchiveTrouble::NotTrusted},
    {"isn't valid, got 'NOSPLIT'", ArchiveTrouble::NotAMirror},
    {"does not have a Release file", ArchiveTrouble::NotAMirror},
    {"is not signed", ArchiveTrouble::NotTrusted},
    {"Failed to stat", ArchiveTrouble::NotAMirror},  // copy: of a folder that is no mirror
    {"  404  ", ArchiveTrouble::NotAMirror},
}};

/// The lines in which apt says what failed and why, at most three.
std::string complaints(std::string_view said) {
  const bool fetching = said.find("Failed to fetch") != std::string_view::npos;
  std::string found;
  for (int count = 0; !said.empty() && count < 3;) {
    const std::string_view line = take_line(said);
    const bool telling = fetching ? line.find("Failed to fetch") != std::string_view::npos
                                  : line.starts_with("E: ") || line.starts_with("Err:");
    if (!telling) continue;
    found += "\n  " + visible(line.substr(0, 300));
    ++count;
  }
  return found;
}

std::string all_said(const sys::ToolResult& result) { return result.out + "\n" + result.err; }

}  // namespace

ArchiveTrouble trouble_in(const sys::ToolResult& result) {
  const std::string said = all_said(result);
  for (const auto& [phrase, trouble] : kPhrases) {
    if (said.find(phrase) != std::string_view::npos) return trouble;
  }
  return ArchiveTrouble::Unknown;
}

Error archive_error(const sys::ToolResult& result, std::string_view where, std::string_view suite) {
  const std::string mirror(where);
  const auto failed = [&](ErrorKind kind, const std::string& what) {
    return Error(kind, what + complaints(all_said(result)));
  };
  switch (trouble_in(result)) {
    case ArchiveTrouble::NoNetwork:
      return failed(ErrorKind::HostCannot,
                    mirror + " cannot be reached: no network, or nothing answers there")
          .hint(
              "check the network and http_proxy, or name a mirror with --mirror; what was "
              "downloaded is kept");
    case ArchiveTrouble::NotAMirror:
      return failed(ErrorKind::HostCannot, mirror + " is not a mirror of Debian " +
                                               (suite == "trixie" ? "13 " : "") + "(" +
                                               std::string(suite) + ")")
          .hint("name one with --mirror URL, such that URL/dists/" + std::string(suite) +
                "/InRelease exists");
    case ArchiveTrouble::NotTrusted:
      return failed(ErrorKind::Evidence,
                    mirror + " is not signed by Debian's archive keys, so nothing from it was used")
          .hint("name another mirror with --mirror, or update the package debian-archive-keyring");
    case ArchiveTrouble::Clock:
      return failed(ErrorKind::HostCannot,
                    "the package lists of " + mirror +
                        " are signed for another time than this host's clock shows")
          .hint("set the clock, or name an up-to-date mirror with --mirror");
    case ArchiveTrouble::NoSpace:
      return Error(ErrorKind::HostCannot,
                   "no space left on the disk while downloading or unpacking packages")
          .hint(
              "free some space, or set PYBOX_HOME to a folder on a larger disk; then run `pybox "
              "setup` again");
    case ArchiveTrouble::Unknown: break;
  }
  return sys::tool_failure("mmdebstrap", result);
}

}  // namespace pybox::debian
