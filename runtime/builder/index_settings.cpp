#include "builder/index_settings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include "base/text.hpp"
#include "sys/file.hpp"

namespace pybox::builder {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> kKeys = {
    "index-url", "extra-index-url", "trusted-host", "proxy", "timeout", "retries", "cert"};
constexpr std::array<const char*, 6> kProxies = {"http_proxy", "https_proxy", "no_proxy",
                                                 "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"};
/// Where Debian, Red Hat and SUSE keep the host's certificates.
constexpr std::array kBundles = {"etc/ssl/certs/ca-certificates.crt",
                                 "etc/pki/tls/certs/ca-bundle.crt", "etc/ssl/ca-bundle.pem"};
constexpr std::string_view kHostFromVm = "10.0.2.2";  // QEMU's user-mode network: the host
constexpr Bytes kMaxConfig = 256_KiB;
constexpr Bytes kMaxBundle = 8_MiB;

std::string trimmed(std::string_view text) {
  const auto space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Folders are of the host; a URL is of the network.
std::string without_local(const std::string& value) {
  std::istringstream words(value);
  std::string kept;
  for (std::string word; words >> word;) {
    const std::size_t scheme = word.find("://");
    if (scheme == std::string::npos || lower(word.substr(0, scheme)) == "file") continue;
    kept += (kept.empty() ? "" : " ") + word;
  }
  return kept;
}

void merge(std::map<std::string, std::string>& into,
           const std::map<std::string, std::string>& from) {
  for (const auto& [key, value] : from) into[key] = value;
}

std::vector<fs::path> config_files(const Lookup& variable, const fs::path& root) {
  std::vector<fs::path> files = {root / "etc/xdg/pip/pip.conf", root / "etc/pip.conf"};
  const auto home = variable("HOME");
  if (home) files.push_back(fs::path(*home) / ".pip/pip.conf");
  if (const auto config = variable("XDG_CONFIG_HOME"); config && !config->empty()) {
    files.push_back(fs::path(*config) / "pip/pip.conf");
  } else if (home) {
    files.push_back(fs::path(*home) / ".config/pip/pip.conf");
  }
  if (const auto named = variable("PIP_CONFIG_FILE")) files.emplace_back(*named);
  return files;
}

Result<std::string> certificates_of(const IndexSettings& settings, const Lookup& variable,
                                    const fs::path& root) {
  std::optional<std::string> named;
  if (const auto cert = settings.values.find("cert"); cert != settings.values.end())
    named = cert->second;
  if (!named) named = variable("SSL_CERT_FILE");
  if (named && !named->empty()) {
    return PYBOX_TRY_CONTEXT(sys::read_file(*named, kMaxBundle),
                             "reading the certificates that pip is set to trust");
  }
  for (const char* bundle : kBundles) {
    if (const auto text = sys::read_file(root / bundle, kMaxBundle)) return *text;
  }
  return std::string();
}

/// "http://localhost:1/x" to "http://10.0.2.2:1/x"; user and password stay.
std::string renamed_loopback(const std::string& url, bool& was_loopback) {
  const std::size_t scheme = url.find("://");
  const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t end = std::min(url.find('/', begin), url.size());
  const std::size_t at = url.rfind('@', end);
  const std::size_t host = at != std::string::npos && at >= begin ? at + 1 : begin;
  for (const std::string_view name : {"localhost", "127.0.0.1"}) {
    const std::size_t after = host + name.size();
    if (url.compare(host, name.size(), name) != 0) continue;
    if (after < end && url[after] != ':') continue;
    was_loopback = true;
    return url.substr(0, host) + std::string(kHostFromVm) + url.substr(after);
  }
  return url;
}

}  // namespace

std::map<std::string, std::string> index_values_in(std::string_view text) {
  std::map<std::string, std::string> values;
  bool wanted = false;
  std::string key;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::string plain = trimmed(line);
    if (plain.empty() || plain[0] == '#' || plain[0] == ';') continue;
    if (plain.front() == '[') {
      wanted = plain == "[global]" || plain == "[install]" || plain == "[download]";
      key.clear();
    } else if (line[0] == ' ' || line[0] == '\t') {
      // A value goes on where a line is indented (Python's configparser).
      if (wanted && !key.empty()) values[key] = trimmed(values[key] + " " + plain);
    } else if (const std::size_t mark = plain.find_first_of("=:"); mark != std::string::npos) {
      key = lower(trimmed(plain.substr(0, mark)));
      std::replace(key.begin(), key.end(), '_', '-');
      if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) key.clear();
      if (wanted && !key.empty()) values[key] = trimmed(plain.substr(mark + 1));
    }
  }
  return values;
}

Result<IndexSettings> index_settings_of_host(const Lookup& variable, const fs::path& root) {
  IndexSettings settings;
  for (const fs::path& file : config_files(variable, root)) {
    if (const auto text = sys::read_file(file, kMaxConfig))
      merge(settings.values, index_values_in(*text));
  }
  for (const std::string_view key : kKeys) {
    std::string name = "PIP_";
    for (const char c : key)
      name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (const auto value = variable(name.c_str()); value && !value->empty())
      settings.values[std::string(key)] = *value;
  }
  settings.certificates = PYBOX_TRY(certificates_of(settings, variable, root));
  settings.values.erase("cert");
  for (const char* key : {"index-url", "extra-index-url"}) {
    const auto found = settings.values.find(key);
    if (found == settings.values.end()) continue;
    found->second = without_local(found->second);
    if (found->second.empty()) settings.values.erase(found);
  }
  for (const char* name : kProxies) {
    if (const auto value = variable(name); value && !value->empty())
      settings.proxies[name] = *value;
  }
  return settings;
}

IndexSettings as_seen_from_vm(IndexSettings settings) {
  bool was_loopback = false;
  for (const char* key : {"index-url", "extra-index-url", "proxy"}) {
    const auto found = settings.values.find(key);
    if (found == settings.values.end()) continue;
    std::istringstream words(found->second);
    std::string renamed;
    for (std::string word; words >> word;)
      renamed += (renamed.empty() ? "" : " ") + renamed_loopback(word, was_loopback);
    found->second = renamed;
  }
  for (auto& [name, value] : settings.proxies) {
    bool ignored = false;
    if (lower(name) != "no_proxy") value = renamed_loopback(value, ignored);
  }
  if (was_loopback) {
    std::string& trusted = settings.values["trusted-host"];
    trusted += (trusted.empty() ? "" : " ") + std::string(kHostFromVm);
  }
  return settings;
}

std::map<std::string, std::string> builder_environment(const IndexSettings& settings,
                                                       std::string_view certificates) {
  std::map<std::string, std::string> environment = settings.proxies;
  for (const auto& [key, value] : settings.values) {
    std::string name = "PIP_";
    for (const char c : key)
      name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    environment[name] = value;
  }
  environment["PIP_CERT"] = certificates;
  environment["SSL_CERT_FILE"] = certificates;
  const auto copy = [&](const char* key, const char* name) {
    const auto found = settings.values.find(key);
    if (found != settings.values.end()) environment[name] = found->second;
  };
  copy("index-url", "UV_DEFAULT_INDEX");
  copy("extra-index-url", "UV_INDEX");
  copy("trusted-host", "UV_INSECURE_HOST");
  copy("timeout", "UV_HTTP_TIMEOUT");
  if (const auto proxy = settings.values.find("proxy"); proxy != settings.values.end()) {
    for (const char* name : {"http_proxy", "https_proxy"}) environment.emplace(name, proxy->second);
  }
  return environment;
}

}  // namespace pybox::builder
