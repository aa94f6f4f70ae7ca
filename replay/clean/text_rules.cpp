#include "replay/clean/text_rules.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"

namespace pybox::replay {
namespace {

/// Paths of every box and of every Linux, with all that stands below one with a '/' at its end.
constexpr std::string_view kPaths[] = {"/tmp/main.py",
                                       "/tmp/input",
                                       "/tmp/output",
                                       "/tmp/input/",
                                       "/tmp/output/",
                                       "/proc",
                                       "/proc/",
                                       "/dev",
                                       "/dev/",
                                       "/sys",
                                       "/sys/",
                                       "/usr/lib/python3",
                                       "/usr/bin/python3",
                                       "/etc/passwd",
                                       "/etc/shadow",
                                       "/tmp",
                                       "/usr",
                                       "/etc",
                                       "/lib",
                                       "/bin",
                                       "/var",
                                       "/run",
                                       "/home",
                                       "/root"};
constexpr std::size_t kToken = 24;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// What a path, an address, a token or a name is made of. Anything from U+0080 on counts, so that a
/// word of another script is one word.
bool is_word(char c) {
  return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80 ||
         std::string_view("_+/.@%~-").find(c) != std::string_view::npos;
}

bool is_path_allowed(std::string_view path) {
  if (path == "/" || path.find("..") != std::string_view::npos) return path == "/";
  return std::any_of(std::begin(kPaths), std::end(kPaths), [&](std::string_view allowed) {
    if (path == allowed) return true;
    const bool open_ended = allowed.back() == '/' || allowed.back() == '3';
    return open_ended && path.substr(0, allowed.size()) == allowed;
  });
}

/// Four numbers up to 255 between dots, nothing else.
bool is_ip(std::string_view word) {
  int parts = 0;
  while (!word.empty()) {
    const std::string_view part = take_until(word, '.');
    if (part.empty() || part.size() > 3 || !std::all_of(part.begin(), part.end(), is_digit))
      return false;
    ++parts;
  }
  return parts == 4;
}

bool is_ip_allowed(std::string_view ip) {
  return ip.substr(0, 4) == "127." || ip == "0.0.0.0" || ip.substr(0, 8) == "169.254.";
}

/// Letters and digits together, long: a key, a password, an id of something.
bool is_token(std::string_view word) {
  if (word.size() < kToken) return false;
  return std::any_of(word.begin(), word.end(), is_digit) &&
         std::any_of(word.begin(), word.end(), is_letter);
}

bool sounds_secret(std::string_view word) {
  std::string upper(word);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  for (const std::string_view part :
       {"TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "API_KEY", "APIKEY"}) {
    if (upper.find(part) != std::string::npos) return true;
  }
  return false;
}

/// A sentence's end does not belong to the path or address before it.
std::string_view without_tail(std::string_view word) {
  while (word.size() > 1 && (word.back() == '.' || word.back() == '-')) word.remove_suffix(1);
  return word;
}

class Cleaner {
 public:
  Cleaner(const Allowed& allowed, Counts& counts) : allowed_(&allowed), counts_(&counts) {}

  std::string clean(std::string_view text) {
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
      if (!is_word(text[at])) {
        out += text[at++];
        continue;
      }
      // In a JSON text `\n/home` is a line end and a path.
      if (at > 0 && text[at - 1] == '\\' &&
          std::string_view("nrtbfu").find(text[at]) != std::string_view::npos) {
        out += text[at++];
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && is_word(text[end])) ++end;
      const std::string_view word = text.substr(at, end - at);
      out += replacement_of(word);
      note_setting(word, text.substr(end));
      at = end;
    }
    return out;
  }

 private:
  std::string counted(const char* rule, const char* what) {
    ++(*counts_)[rule];
    return what;
  }

  /// NAME=value, NAME: value, "NAME": "value": the word after one of these separators.
  void note_setting(std::string_view word, std::string_view rest) {
    value_is_secret_ = false;
    if (!sounds_secret(word)) return;
    const std::size_t next = rest.find_first_not_of("\"' \\");
    value_is_secret_ = next != std::string_view::npos && (rest[next] == '=' || rest[next] == ':');
  }

  std::string replacement_of(std::string_view word) {
    const std::string_view core = without_tail(word);
    const std::string tail(word.substr(core.size()));
    if (allowed_->words.contains(core)) return std::string(word);
    if (std::find(allowed_->names.begin(), allowed_->names.end(), core) != allowed_->names.end())
      return counted("name", "[name]") + tail;
    // What this rule wrote the last time stays.
    if (value_is_secret_ && core == "secret") return std::string(word);
    if (value_is_secret_) return counted("setting", "[secret]") + tail;
    if (core.front() == '~' && core.size() > 1) return counted("path", "[path]") + tail;
    if (core.front() == '/')
      return is_path_allowed(core) ? std::string(word) : counted("path", "[path]") + tail;
    if (core.find('@') != std::string_view::npos && core.size() > 1)
      return counted("address", "[address]") + tail;
    if (is_ip(core))
      return is_ip_allowed(core) ? std::string(word) : counted("address", "[address]") + tail;
    return parts_of(core) + tail;
  }

  /// "a/b.c": each part is looked at by itself, so that a known digest in a name stays; one that
  /// must go takes the word along.
  std::string parts_of(std::string_view word) {
    std::size_t at = 0;
    while (at <= word.size()) {
      const std::size_t end = std::min(word.find_first_of("/.", at), word.size());
      const std::string_view part = word.substr(at, end - at);
      if (std::find(allowed_->names.begin(), allowed_->names.end(), part) != allowed_->names.end())
        return counted("name", "[name]");
      if (is_token(part) && !allowed_->words.contains(part)) return counted("token", "[token]");
      at = end + 1;
    }
    return std::string(word);
  }

  const Allowed* allowed_;
  Counts* counts_;
  bool value_is_secret_ = false;
};

}  // namespace

std::string clean_text(std::string_view text, const Allowed& allowed, Counts& counts) {
  const std::string safe = visible(text, Lines::Keep);
  if (safe != text) ++counts["bytes"];
  return Cleaner(allowed, counts).clean(safe);
}

std::string_view text_rules() {
  return "bytes: what a terminal would obey or is no UTF-8 is escaped\n"
         "name: names of the machine and its user\n"
         "setting: values of variables that sound like a secret\n"
         "path: absolute paths but those of every box: /tmp/main.py /tmp/input /tmp/output /proc "
         "/dev /sys "
         "/usr/lib/python3 /usr/bin/python3 /etc/passwd /etc/shadow\n"
         "address: IP addresses but 127.0.0.0/8, 0.0.0.0 and 169.254.0.0/16; anything with an @\n"
         "kernel: what stands behind the version in a kernel's release\n"
         "token: 24 and more letters and digits together, but what the evidence made\n";
}

}  // namespace pybox::replay
