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

/// What one entry of the host's apt configuration offers.
struct HostSource {
  std::string uri;
  std::vector<std::string> suites;
  std::vector<std::string> components;
};

/// The binary sources in one apt file, in order. `deb822` for *.sources (man 5 sources.list), else
/// one-line. Disabled stanzas and deb-src are left out. Never fails: what cannot be understood is
/// skipped, as apt will complain about it to its owner.
std::vector<HostSource> sources_in_file(std::string_view text, bool deb822);

/// Those of /etc/apt/sources.list and sources.list.d below `apt_folder`, files in name order.
std::vector<HostSource> sources_of_host(const std::filesystem::path& apt_folder = "/etc/apt");

/// Picks the host's Debian mirror: an entry with component main whose path ends in /debian serves
/// SUITE and SUITE-updates, one that ends in /debian-security serves SUITE-security. Other vendors
/// also end their paths so, hence entries that carry -updates or -backports and stand at the top of
/// their host come first; Debian's keyring rejects a wrong pick. A mirror+file: URI is judged by
/// the first line of its list. Empty when the host is no Debian host: mmdebstrap then uses its
/// default.
std::vector<ArchiveSource> pick_sources(const std::vector<HostSource>& host,
                                        std::string_view suite);

/// What `apt-config dump Acquire::Check-Valid-Until` printed says no.
bool takes_expired_lists(std::string_view dumped);

/// Checks the form of --mirror. Error kind Usage: not a URL apt could use.
Result<std::string> check_mirror(std::string_view url);

/// A mirror's URL as mmdebstrap can use it: file: becomes copy:.
std::string apt_uri(std::string_view url);

/// "deb [signed-by=KEYRING] URI SUITE main", what mmdebstrap takes as a mirror argument.
std::string apt_line(const ArchiveSource& source, const std::filesystem::path& keyring);

/// The file with Debian's archive keys. Error kind HostCannot, the hint names the package.
Result<std::filesystem::path> debian_keyring();

}  // namespace pybox::debian
