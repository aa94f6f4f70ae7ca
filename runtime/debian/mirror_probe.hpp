#pragma once
/// What apt knows of mirrors: what the one named by --mirror offers, asked over the network because
/// mirrors differ in it; and which sources this host's own apt uses.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "debian/sources.hpp"
#include "sys/tools.hpp"

namespace pybox::debian {

/// Looks for the Release files with apt's own downloader (any scheme and proxy apt knows). `url`
/// must serve SUITE, else an Error says why not (archive_trouble.hpp; `unreachable` is set when the
/// network was the reason). SUITE-updates beside it, and SUITE-security in url-security, the usual
/// neighbour, are taken when they are there. Nothing is trusted yet: apt verifies signatures later.
Result<std::vector<ArchiveSource>> probe_mirror(const sys::Tools& tools, const std::string& url,
                                                const std::string& suite,
                                                const std::filesystem::path& work,
                                                bool& unreachable);

/// Empty when there is no apt or it cannot read its sources. Needs neither root nor network.
std::vector<ArchiveSource> sources_of_host(const sys::Tools& tools);

/// This host's apt is told to take package lists whose time is over.
bool host_takes_expired_lists(const sys::Tools& tools);

}  // namespace pybox::debian
