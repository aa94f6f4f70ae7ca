#include "debian/sources.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>

#include "base/text.hpp"
#include "sys/file.hpp"

namespace pybox::debian {
namespace {

constexpr std::string_view kDists = "/dists/";

std::string without_trailing_slash(std::string uri) {
  while (uri.size() > 1 && uri.back() == '/') uri.pop_back();
  return uri;
}

/// What a URI points at: itself, or for mirror+file: the first entry of the list.
std::string target_of(const std::string& uri) {
  constexpr std::string_view kList = "mirror+file:";
  if (!uri.starts_with(kList)) return uri;
  std::string path = uri.substr(kList.size());
  if (path.starts_with("//")) path = path.substr(2);
  const Result<std::string> list = sys::read_file(path, 64_KiB);
  if (!list) return "";
  for (std::string_view lines = *list; !lines.empty();) {
    std::string_view line = take_line(lines);
    line = line.substr(0, line.find('#'));
    const std::string_view word = take_word(line);
    if (!word.empty()) return without_trailing_slash(std::string(word));
  }
  return "";
}

/// How much `source` looks like Debian's own mirror whose path ends in `end`; 0: not at all.
int resemblance(const std::vector<ArchiveSource>& host, const ArchiveSource& source,
                std::string_view end) {
  const std::string target = target_of(source.uri);
  if (!target.ends_with(end) || !check_mirror(source.uri)) return 0;
  const bool updates = std::any_of(host.begin(), host.end(), [&](const ArchiveSource& other) {
    return other.uri == source.uri &&
           (other.suite.ends_with("-updates") || other.suite.ends_with("-backports"));
  });
  const std::size_t authority = target.find("//");
  const bool at_top = authority != std::string::npos &&
                      target.find('/', authority + 2) == target.size() - end.size();
  return 1 + (updates ? 2 : 0) + (at_top ? 1 : 0);
}

std::optional<std::string> best_of(const std::vector<ArchiveSource>& host, std::string_view end) {
  const ArchiveSource* best = nullptr;
  int best_score = 0;
  for (const ArchiveSource& source : host) {
    const int score = resemblance(host, source, end);
    if (score > best_score) best = &source;
    best_score = std::max(score, best_score);
  }
  if (best == nullptr) return std::nullopt;
  return apt_uri(best->uri);
}

}  // namespace

std::vector<ArchiveSource> sources_in_uris(std::string_view printed) {
  std::vector<ArchiveSource> sources;
  while (!printed.empty()) {
    std::string_view line = take_line(printed);
    if (!line.starts_with('\'')) continue;
    const std::string_view uri = line.substr(1, line.find('\'', 1) - 1);
    const std::size_t suite = uri.find(kDists);
    const std::size_t component = uri.find("/main/binary-", suite);
    if (suite == std::string_view::npos || component == std::string_view::npos) continue;
    const std::size_t begin = suite + kDists.size();
    sources.push_back(
        {std::string(uri.substr(0, suite)), std::string(uri.substr(begin, component - begin))});
  }
  return sources;
}

std::vector<ArchiveSource> pick_sources(const std::vector<ArchiveSource>& host,
                                        std::string_view suite) {
  const std::string name(suite);
  const std::optional<std::string> archive = best_of(host, "/debian");
  if (!archive) return {};
  std::vector<ArchiveSource> sources = {{*archive, name}, {*archive, name + "-updates"}};
  if (const std::optional<std::string> security = best_of(host, "/debian-security")) {
    sources.push_back({*security, name + "-security"});
  }
  return sources;
}

Result<std::string> check_mirror(std::string_view url) {
  constexpr std::array<std::string_view, 7> kSchemes = {
      "http://",       "https://",       "file:/",         "copy:/",
      "mirror+file:/", "mirror+http://", "mirror+https://"};
  const bool known = std::any_of(kSchemes.begin(), kSchemes.end(), [&](std::string_view scheme) {
    return url.starts_with(scheme) && url.size() > scheme.size();
  });
  // The text ends up in an apt source line: nothing may end the word or open an option there.
  const bool plain = std::all_of(url.begin(), url.end(), [](char c) {
    return c > ' ' && c < 0x7f && std::string_view("[]\"'\\#").find(c) == std::string_view::npos;
  });
  if (known && plain) return without_trailing_slash(std::string(url));
  return Error(ErrorKind::Usage,
               "--mirror wants the URL of a Debian mirror (http:, https:, file:), not `" +
                   visible(url.substr(0, 200)) + "`")
      .hint(
          "for example --mirror http://mirror.example/debian; without --mirror PyBox uses the "
          "host's own");
}

std::string apt_uri(std::string_view url) {
  return url.starts_with("file:") ? "copy:" + std::string(url.substr(5)) : std::string(url);
}

std::string apt_line(const ArchiveSource& source, const std::filesystem::path& keyring) {
  return "deb [signed-by=" + keyring.string() + "] " + apt_uri(source.uri) + " " + source.suite +
         " main";
}

Result<std::filesystem::path> debian_keyring() {
  // Debian 13 renamed .gpg to .pgp and keeps the old name as a link.
  for (const char* name : {"debian-archive-keyring.gpg", "debian-archive-keyring.pgp"}) {
    const std::filesystem::path file = std::filesystem::path("/usr/share/keyrings") / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored)) return file;
  }
  return Error(ErrorKind::HostCannot,
               "Debian's archive keys are not installed, so no package could be verified")
      .hint("install with: apt-get install debian-archive-keyring");
}

}  // namespace pybox::debian
