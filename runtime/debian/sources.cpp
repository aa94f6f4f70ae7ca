#include "debian/sources.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <sstream>
#include <system_error>

#include "base/text.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::debian {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// One stanza of a deb822 file: the fields that decide what it brings.
struct Stanza {
  std::string types, uris, suites, components, enabled;

  std::string* field(const std::string& name) {
    if (name == "types") return &types;
    if (name == "uris") return &uris;
    if (name == "suites") return &suites;
    if (name == "components") return &components;
    if (name == "enabled") return &enabled;
    return nullptr;
  }
  void take_into(std::vector<HostSource>& out) const {
    const std::vector<std::string> kinds = words_of(types);
    const std::string switched = lower(enabled);
    if (std::find(kinds.begin(), kinds.end(), "deb") == kinds.end()) return;
    for (const char* off : {"no", "false", "0", "off", "disable", "without"}) {
      if (words_of(switched) == std::vector<std::string>{off}) return;
    }
    for (std::string& uri : words_of(uris))
      out.push_back({std::move(uri), words_of(suites), words_of(components)});
  }
};

std::vector<HostSource> sources_in_deb822(std::string_view text) {
  std::vector<HostSource> sources;
  std::istringstream in{std::string(text)};
  Stanza stanza;
  std::string* field = nullptr;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    if (words_of(line).empty()) {
      stanza.take_into(sources);
      stanza = {};
      field = nullptr;
    } else if (line.front() == ' ' || line.front() == '\t') {
      if (field != nullptr) *field += " " + line;
    } else if (const std::size_t colon = line.find(':'); colon != std::string::npos) {
      field = stanza.field(lower(line.substr(0, colon)));
      if (field != nullptr) *field = line.substr(colon + 1);
    }
  }
  stanza.take_into(sources);
  return sources;
}

std::vector<HostSource> sources_in_lines(std::string_view text) {
  std::vector<HostSource> sources;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) {
    line = line.substr(0, line.find('#'));
    // Options stand between "deb" and the URI: deb [arch=amd64 signed-by=…] URI suite component…
    if (const std::size_t open = line.find('['); open != std::string::npos) {
      const std::size_t close = line.find(']', open);
      if (close == std::string::npos) continue;
      line.replace(open, close - open + 1, " ");
    }
    const std::vector<std::string> words = words_of(line);
    if (words.size() < 4 || words[0] != "deb") continue;
    sources.push_back({words[1], {words[2]}, {words.begin() + 3, words.end()}});
  }
  return sources;
}

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
  std::istringstream in(*list);
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> words = words_of(line.substr(0, line.find('#')));
    if (!words.empty()) return without_trailing_slash(words[0]);
  }
  return "";
}

bool ends_one(const std::vector<std::string>& words, std::string_view end) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return word.ends_with(end); });
}

/// How much `source` looks like Debian's own mirror whose path ends in `end`; 0: not at all.
int resemblance(const std::vector<HostSource>& host, const HostSource& source,
                std::string_view end) {
  const std::string target = target_of(without_trailing_slash(source.uri));
  if (!target.ends_with(end) || !check_mirror(source.uri)) return 0;
  if (std::find(source.components.begin(), source.components.end(), "main") ==
      source.components.end())
    return 0;
  if (ends_one(source.suites, "/")) return 0;
  int score = 1;
  for (const HostSource& other : host) {
    if (other.uri == source.uri &&
        (ends_one(other.suites, "-updates") || ends_one(other.suites, "-backports")))
      score = 3;
  }
  const std::size_t authority = target.find("//");
  const bool at_top = authority != std::string::npos &&
                      target.find('/', authority + 2) == target.size() - end.size();
  return score + (at_top ? 1 : 0);
}

std::optional<std::string> best_of(const std::vector<HostSource>& host, std::string_view end) {
  const HostSource* best = nullptr;
  int best_score = 0;
  for (const HostSource& source : host) {
    const int score = resemblance(host, source, end);
    if (score > best_score) best = &source;
    best_score = std::max(score, best_score);
  }
  if (best == nullptr) return std::nullopt;
  return apt_uri(without_trailing_slash(best->uri));
}

}  // namespace

std::vector<HostSource> sources_in_file(std::string_view text, bool deb822) {
  return deb822 ? sources_in_deb822(text) : sources_in_lines(text);
}

std::vector<HostSource> sources_of_host(const std::filesystem::path& apt_folder) {
  std::vector<std::filesystem::path> files = {apt_folder / "sources.list"};
  std::error_code ignored;
  for (const std::filesystem::path& entry :
       sys::entries_of(apt_folder / "sources.list.d", ignored)) {
    if (entry.extension() == ".list" || entry.extension() == ".sources") files.push_back(entry);
  }
  std::sort(files.begin() + 1, files.end());
  std::vector<HostSource> sources;
  for (const std::filesystem::path& file : files) {
    const Result<std::string> text = sys::read_file(file, 1_MiB);
    if (!text) continue;
    for (HostSource& source : sources_in_file(*text, file.extension() == ".sources"))
      sources.push_back(std::move(source));
  }
  return sources;
}

std::vector<ArchiveSource> pick_sources(const std::vector<HostSource>& host,
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

bool takes_expired_lists(std::string_view dumped) {
  constexpr std::string_view kKey = "Acquire::Check-Valid-Until \"";
  const std::size_t at = dumped.find(kKey);
  if (at == std::string_view::npos) return false;
  const std::string_view value = dumped.substr(at + kKey.size());
  // apt's words for no (apt-pkg/contrib/strutl.cc, StringToBool).
  for (const std::string_view no : {"false\"", "no\"", "0\"", "off\"", "without\"", "disable\""}) {
    if (value.starts_with(no)) return true;
  }
  return false;
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
