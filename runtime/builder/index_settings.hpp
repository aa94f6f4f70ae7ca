#pragma once
/// Where packages come from: what the host's pip is told about the index, handed to the builder as
/// data. No index stands in PyBox: without settings pip and uv use their own default.
///
/// Only texts are collected here; runtime/python/builder.py reads them with Python's configparser,
/// as pip does, and takes what concerns the index. Nothing that names a place on the host is
/// followed, but one: the certificates of `cert` (PIP_CERT), else of SSL_CERT_FILE, else the host's
/// bundle, are read here.
///
/// The texts may hold passwords: they go to the builder and nowhere else, neither into a record nor
/// into a message.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace pybox::builder {

struct IndexSettings {
  std::vector<std::string> files;                ///< pip's configuration files, later ones win
  std::map<std::string, std::string> variables;  ///< PIP_… and the proxies; they win over files
  std::string certificates;                      ///< PEM; empty: those of the image
};

/// This process's environment.
std::map<std::string, std::string> own_variables();

/// The host's. `root` is where /etc is looked for. Error: a named certificate file cannot be read.
Result<IndexSettings> index_settings_of_host(const std::map<std::string, std::string>& variables,
                                             const std::filesystem::path& root = "/");

}  // namespace pybox::builder
