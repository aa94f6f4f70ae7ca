#pragma once
/// Where packages come from: what the host's pip is told about the index, handed to the builder as
/// data. No index stands in PyBox: without settings pip and uv use their own default.
///
/// Taken over: index-url, extra-index-url, trusted-host, proxy, timeout, retries and cert, from
/// pip's configuration files (man: "pip config") and PIP_… variables, which win; the usual proxy
/// variables; the certificates of `cert`, else of SSL_CERT_FILE, else the host's bundle. Nothing
/// that names a place on the host (find-links to a folder, client-cert, file: URLs) is.
///
/// The values may hold passwords: they go to the builder and nowhere else, neither into a record
/// nor into a message.

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pybox::builder {

struct IndexSettings {
  std::map<std::string, std::string> values;   ///< "index-url" to its value
  std::map<std::string, std::string> proxies;  ///< "https_proxy" to its value
  std::string certificates;                    ///< PEM; empty: those of the image
};

/// One pip configuration file: the known keys of [global], [install] and [download], later ones
/// win. What cannot be understood is skipped; pip will complain about it to its owner.
std::map<std::string, std::string> index_values_in(std::string_view text);

using Lookup = std::function<std::optional<std::string>(const char* variable)>;
/// The host's. `root` is where /etc is looked for. Error: a named certificate file cannot be read.
Result<IndexSettings> index_settings_of_host(const Lookup& variable,
                                             const std::filesystem::path& root = "/");

/// What a VM sees of the host's loopback is another address (QEMU's user-mode network): proxies and
/// indexes on it are renamed, and trusted without TLS as pip trusts the loopback.
IndexSettings as_seen_from_vm(IndexSettings settings);

/// The variables for pip and uv in the builder. `certificates` is the bundle's path there.
std::map<std::string, std::string> builder_environment(const IndexSettings& settings,
                                                       std::string_view certificates);

}  // namespace pybox::builder
