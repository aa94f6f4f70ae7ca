#pragma once
/// Where Debian packages come from. No registry host stands in PyBox: a mirror is named by
/// --mirror, or is the one this host's own apt uses when it is a Debian host, or is left to
/// mmdebstrap, which knows its own default.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pybox::debian {

/// One place of the archive: `uri` serves `suite`.
struct ArchiveSource {
  std::string uri;    ///< any scheme apt knows; file: is written copy:, which mmdebstrap needs
  std::string suite;  ///< "trixie", "trixie-updates", "trixie-security"
  friend bool operator==(const ArchiveSource&, const ArchiveSource&) = default;
};

/// The binary sources with component main in what `apt-get update --print-uris` printed, one a
/// package list ('URI/dists/SUITE/main/binary-…' FILE SIZE). apt reads its configuration itself.
std::vector<ArchiveSource> sources_in_uris(std::string_view printed);

/// Picks the host's Debian mirror: an entry whose path ends in /debian serves SUITE and
/// SUITE-updates, one that ends in /debian-security serves SUITE-security. Other vendors also end
/// their paths so, hence entries that carry -updates or -backports and stand at the top of their
/// host come first; Debian's keyring rejects a wrong pick. A mirror+file: URI is judged by the
/// first line of its list. Empty when the host is no Debian host: mmdebstrap then uses its default.
std::vector<ArchiveSource> pick_sources(const std::vector<ArchiveSource>& host,
                                        std::string_view suite);

/// Checks the form of --mirror. Error kind Usage: not a URL apt could use.
Result<std::string> check_mirror(std::string_view url);

/// A mirror's URL as mmdebstrap can use it: file: becomes copy:.
std::string apt_uri(std::string_view url);

/// "deb [signed-by=KEYRING] URI SUITE main", what mmdebstrap takes as a mirror argument.
std::string apt_line(const ArchiveSource& source, const std::filesystem::path& keyring);

/// The file with Debian's archive keys. Error kind HostCannot, the hint names the package.
Result<std::filesystem::path> debian_keyring();

}  // namespace pybox::debian
