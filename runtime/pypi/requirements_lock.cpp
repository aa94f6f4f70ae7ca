#include <algorithm>
#include <optional>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "pypi/lock.hpp"

namespace pybox::pypi {
namespace {

constexpr std::string_view kForm = "only `name==version --hash=sha256:…` may be in a lock";

struct Word {
  std::string_view text;
  std::size_t line;
};

/// One physical line without its comment.
struct Line {
  std::string_view words;
  bool continues = false;  ///< ended with a backslash
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// What may stand in a comment: text that looks like what it is.
std::string trouble_with_comment(std::string_view comment) {
  if (!comment.empty() && comment.back() == '\\') {
    return "a comment may not end with a backslash: installers disagree on what follows";
  }
  for (std::string_view rest = comment; !rest.empty();) {
    const Character c = first_character(rest);
    if (c.size == 0) return "the comment is not UTF-8";
    if (is_deceptive(c.code) && c.code != '\t') {
      return "an invisible character in the comment " + in_ticks(comment);
    }
    rest.remove_prefix(c.size);
  }
  return {};
}

/// A comment begins at the start of a line or after a blank.
std::size_t comment_start(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || is_blank(line[at - 1])) return at;
  }
  return line.size();
}

Result<Line> read_line(std::string_view text, std::size_t number) {
  const std::size_t comment = comment_start(text);
  if (comment < text.size()) {
    const std::string trouble = trouble_with_comment(text.substr(comment));
    if (!trouble.empty()) return refused_line(number, trouble);
  }
  Line line{trimmed(text.substr(0, comment), kBlank), false};
  if (!line.words.empty() && line.words.back() == '\\') {
    if (comment < text.size()) return refused_line(number, "a comment follows a backslash");
    line.words.remove_suffix(1);
    line.continues = true;
  }
  for (const char c : line.words) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) return refused_line(number, in_ticks(line.words) + " is not ASCII");
    if ((byte < 0x20 && c != '\t') || byte == 0x7F) {
      return refused_line(number, "a control character in " + in_ticks(line.words));
    }
  }
  return line;
}

void add_words(std::string_view text, std::size_t line, std::vector<Word>& words) {
  while (!(text = trimmed(text, kBlank)).empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.push_back({text.substr(0, end), line});
    text.remove_prefix(end);
  }
}

/// Why a first word without `==` is none of ours. Most specific first: the reason is the message.
std::string reason_against(std::string_view word) {
  const std::string it = in_ticks(word);
  if (word.front() == '-') return it + " is an option; " + std::string(kForm);
  if (word.find("://") != std::string_view::npos || word.find('@') != std::string_view::npos) {
    return it + " is a link; " + std::string(kForm);
  }
  if (word.find_first_of("/\\~") != std::string_view::npos || word.front() == '.') {
    return it + " is a local path; " + std::string(kForm);
  }
  if (word.find('[') != std::string_view::npos) {
    return it + " asks for extras; pin the packages that the extra brings";
  }
  if (word.find_first_of("<>~!=;,") != std::string_view::npos || trouble_with_name(word).empty()) {
    return it + " is not pinned to one version with `==`";
  }
  return trouble_with_name(word);
}

/// "name==version" taken apart; an Error says why it is none.
Result<Pin> read_name_and_version(const Word& word) {
  const std::size_t at = word.text.find("==");
  const std::string_view name = word.text.substr(0, at);
  if (at == std::string_view::npos || !trouble_with_name(name).empty()) {
    return refused_line(word.line, reason_against(name.empty() ? word.text : name));
  }
  std::string_view version = word.text.substr(at + 2);
  if (version.starts_with('=')) {
    return refused_line(word.line, in_ticks(word.text) + " compares with `===`; write `==`");
  }
  if (version.empty()) {
    return refused_line(word.line,
                        in_ticks(word.text) + " lacks its version (no blank after `==`)");
  }
  const std::size_t marker = version.find(';');
  if (marker != std::string_view::npos) {
    return refused_line(word.line,
                        in_ticks(word.text) + " has a marker; lock for one platform and Python");
  }
  const std::string trouble = trouble_with_version(version);
  if (!trouble.empty()) return refused_line(word.line, trouble);
  return Pin{normalised_name(name), std::string(version), {}, word.line};
}

/// A word after name and version.
Result<std::string> read_hash(const Word& word, const Pin& pin) {
  constexpr std::string_view kOption = "--hash=";
  if (word.text.starts_with(';')) {
    return refused_line(word.line,
                        "`" + pin.name + "` has a marker; lock for one platform and Python");
  }
  if (!word.text.starts_with(kOption)) {
    return refused_line(word.line,
                        in_ticks(word.text) + " after `" + pin.name + "`; " + std::string(kForm));
  }
  const std::string_view hash = word.text.substr(kOption.size());
  const std::string trouble = trouble_with_hash(hash);
  if (!trouble.empty()) return refused_line(word.line, trouble);
  return std::string(hash.substr(hash.find(':') + 1));
}

/// The words of one logical line. Precondition: at least one word.
Result<Pin> read_pin(const std::vector<Word>& words) {
  if (words.size() > 1 && trouble_with_name(words[0].text).empty()) {
    const std::string_view next = words[1].text;
    if (next.starts_with("==")) {
      return refused_line(words[1].line, "there is a blank before `==`; " + std::string(kForm));
    }
    if (next.starts_with('@')) return refused_line(words[1].line, reason_against(next));
  }
  Pin pin = PYBOX_TRY(read_name_and_version(words[0]));
  for (std::size_t i = 1; i < words.size(); ++i) {
    pin.sha256.push_back(PYBOX_TRY(read_hash(words[i], pin)));
  }
  if (pin.sha256.empty()) {
    return refused_line(pin.line, "`" + pin.name + "` has no `--hash=sha256:…`");
  }
  if (pin.sha256.size() > kMaxPinHashes) {
    return refused_line(
        pin.line, "`" + pin.name + "` has more than " + std::to_string(kMaxPinHashes) + " hashes");
  }
  std::sort(pin.sha256.begin(), pin.sha256.end());
  pin.sha256.erase(std::unique(pin.sha256.begin(), pin.sha256.end()), pin.sha256.end());
  return pin;
}

/// The next physical line, without its "\n" or "\r\n"; nothing at the end.
std::optional<std::string_view> take_line(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

Result<Lock> parse_requirements_lock(std::string_view text) {
  if (text.size() > kMaxLockBytes) {
    return Error(ErrorKind::Refused,
                 "a lock may have " + std::to_string(kMaxLockBytes) + " bytes; this has more");
  }
  std::vector<Pin> pins;
  std::vector<Word> words;
  std::size_t number = 0;
  bool continued = false;
  for (std::string_view rest = text; auto physical = take_line(rest);) {
    const Line line = PYBOX_TRY(read_line(*physical, ++number));
    add_words(line.words, number, words);
    continued = line.continues;
    if (continued || words.empty()) continue;
    pins.push_back(PYBOX_TRY(read_pin(words)));
    words.clear();
    if (pins.size() > kMaxLockPins) {
      return refused_line(number, "more than " + std::to_string(kMaxLockPins) + " packages");
    }
  }
  if (continued) return refused_line(number, "the file ends after a backslash");
  Lock lock;
  lock.pins = PYBOX_TRY(settled_pins(std::move(pins)));
  lock.text = std::string(text);
  lock.digest = "sha256:" + sha256_hex(text);
  return lock;
}

}  // namespace pybox::pypi
