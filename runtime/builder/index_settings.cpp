#include "builder/index_settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"
#include "sys/file.hpp"

namespace pybox::builder {
namespace {

namespace fs = std::filesystem;

using Variables = std::map<std::string, std::string>;

constexpr std::array<std::string_view, 6> kProxies = {"http_proxy", "https_proxy", "no_proxy",
                                                      "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"};
/// Where Debian, Red Hat and SUSE keep the host's certificates.
constexpr std::array kBundles = {"etc/ssl/certs/ca-certificates.crt",
                                 "etc/pki/tls/certs/ca-bundle.crt", "etc/ssl/ca-bundle.pem"};
constexpr Bytes kMaxConfig = 256_KiB;
constexpr Bytes kMaxBundle = 8_MiB;

/// Empty when it is not set.
std::string value_of(const Variables& variables, const char* name) {
  const auto found = variables.find(name);
  return found == variables.end() ? "" : found->second;
}

/// Where pip looks, in its order ("pip config", pip.pypa.io). What is not set gives no whole path.
std::vector<fs::path> config_files(const Variables& variables, const fs::path& root) {
  const fs::path home = value_of(variables, "HOME");
  const fs::path config = value_of(variables, "XDG_CONFIG_HOME");
  return {root / "etc/xdg/pip/pip.conf", root / "etc/pip.conf", home / ".pip/pip.conf",
          (config.empty() ? home / ".config" : config) / "pip/pip.conf",
          value_of(variables, "PIP_CONFIG_FILE")};
}

/// The file that the last line `cert = FILE` names, in whatever section; empty without one.
std::string named_certificates(const IndexSettings& settings) {
  std::string named;
  for (std::string_view text : settings.files) {
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      const std::size_t mark = std::min(line.find_first_of("=:"), line.size());
      std::string_view key = line.substr(0, mark);
      const std::size_t first = line.find_first_not_of(" \t", mark + 1);
      if (take_word(key) != "cert" || first == std::string_view::npos) continue;
      named = line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
    }
  }
  return named;
}

Result<std::string> certificates_of(const IndexSettings& settings, const Variables& variables,
                                    const fs::path& root) {
  for (const std::string& named : {value_of(variables, "PIP_CERT"), named_certificates(settings),
                                   value_of(variables, "SSL_CERT_FILE")}) {
    if (named.empty()) continue;
    return PYBOX_TRY_CONTEXT(sys::read_file(named, kMaxBundle),
                             "reading the certificates that pip is set to trust");
  }
  for (const char* bundle : kBundles) {
    if (const auto text = sys::read_file(root / bundle, kMaxBundle)) return *text;
  }
  return std::string();
}

}  // namespace

Variables own_variables() {
  Variables variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view value = *entry;
    const std::string_view name = take_until(value, '=');
    variables.emplace(name, value);
  }
  return variables;
}

Result<IndexSettings> index_settings_of_host(const Variables& variables, const fs::path& root) {
  IndexSettings settings;
  for (const fs::path& file : config_files(variables, root)) {
    if (!file.is_absolute()) continue;  // no HOME, no PIP_CONFIG_FILE
    if (auto text = sys::read_file(file, kMaxConfig)) settings.files.push_back(*std::move(text));
  }
  for (const auto& [name, value] : variables) {
    const bool proxy = std::find(kProxies.begin(), kProxies.end(), name) != kProxies.end();
    if (proxy || name.starts_with("PIP_")) settings.variables[name] = value;
  }
  settings.certificates = PYBOX_TRY(certificates_of(settings, variables, root));
  return settings;
}

}  // namespace pybox::builder
