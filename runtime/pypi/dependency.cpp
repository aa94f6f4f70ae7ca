#include "pypi/dependency.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "pypi/pep440.hpp"
#include "pypi/pin.hpp"

namespace pybox::pypi {
namespace {

Error refused(std::string what) { return Error(ErrorKind::Refused, std::move(what)); }

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

/// What a marker is made of. No '#', '\\' or '$', which mean something in a requirements file.
bool is_marker_character(char c) {
  constexpr std::string_view kOthers = " '\"<>=!~(),+*";
  return is_word_character(c) || kOthers.find(c) != std::string_view::npos;
}

Result<std::vector<std::string>> read_extras(std::string_view list) {
  std::vector<std::string> extras;
  while (!trimmed(list, kBlank).empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view extra = trimmed(list.substr(0, comma), kBlank);
    const std::string trouble = trouble_with_name(extra);
    if (!trouble.empty()) return refused(trouble);
    extras.push_back(normalised_name(extra));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return extras;
}

/// ">=1, <3" or the same in brackets.
Result<std::string> read_specifiers(std::string_view text) {
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  PYBOX_TRY(parse_specifiers(text));
  std::string out;
  for (const char c : text) {
    if (kBlank.find(c) == std::string_view::npos) out += c;
  }
  // "===" takes any text, and this goes into a file where some characters mean something.
  const bool plain = std::all_of(out.begin(), out.end(), is_marker_character);
  return plain ? Result<std::string>(out) : refused(in_ticks(text) + " is not a version specifier");
}

/// Why a text is no dependency that PyBox takes, told by its look. Empty when it may be one.
std::string trouble_with_look(std::string_view text) {
  if (text.empty()) return "an empty dependency";
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7F) ||
           c == '\t';
  });
  if (!ascii) return in_ticks(text) + " has characters other than printable ASCII";
  if (text.front() == '-')
    return in_ticks(text) + " is an option; only dependencies are allowed here";
  const std::string_view head = text.substr(0, text.find(';'));
  if (head.find('@') != std::string_view::npos || head.find("://") != std::string_view::npos) {
    return in_ticks(text) + " is a link; only packages of the index can be locked";
  }
  if (head.find_first_of("/\\") != std::string_view::npos || head.starts_with('.')) {
    return in_ticks(text) + " is a local path; only packages of the index can be locked";
  }
  return {};
}

}  // namespace

Result<Dependency> parse_dependency(std::string_view text) {
  text = trimmed(text, kBlank);
  const std::string look = trouble_with_look(text);
  if (!look.empty()) return refused(look);
  const std::string whole = in_ticks(text);
  Dependency dependency;
  std::size_t size = 0;
  while (size < text.size() && is_word_character(text[size])) ++size;
  const std::string trouble = trouble_with_name(text.substr(0, size));
  if (!trouble.empty()) return refused(whole + " does not begin with a package name");
  dependency.name = normalised_name(text.substr(0, size));
  text = trimmed(text.substr(size), kBlank);
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return refused(whole + " lacks a `]`");
    dependency.extras = PYBOX_TRY_CONTEXT(read_extras(text.substr(1, end - 1)), whole);
    text = trimmed(text.substr(end + 1), kBlank);
  }
  const std::size_t semicolon = std::min(text.find(';'), text.size());
  dependency.specifiers =
      PYBOX_TRY_CONTEXT(read_specifiers(trimmed(text.substr(0, semicolon), kBlank)), whole);
  if (semicolon == text.size()) return dependency;
  const std::string_view marker = trimmed(text.substr(semicolon + 1), kBlank);
  if (marker.empty() || !std::all_of(marker.begin(), marker.end(), is_marker_character)) {
    return refused(whole + " has an invalid marker");
  }
  dependency.marker = std::string(marker);
  return dependency;
}

Result<std::vector<Dependency>> parse_requirements_in(std::string_view text) {
  if (text.size() > kMaxRequirementsBytes) {
    return refused("requirements may have " + std::to_string(kMaxRequirementsBytes) +
                   " bytes; this has more");
  }
  std::vector<Dependency> all;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t comment =
        line.starts_with('#') ? 0 : std::min(line.find(" #"), line.find("\t#"));
    line = trimmed(line.substr(0, std::min(comment, line.size())), kBlank);
    if (line.empty()) continue;
    auto dependency = parse_dependency(line);
    if (!dependency) return std::move(dependency).error().context("line " + std::to_string(number));
    all.push_back(*std::move(dependency));
    if (all.size() > kMaxDependencies) {
      return refused_line(number,
                          "more than " + std::to_string(kMaxDependencies) + " dependencies");
    }
  }
  if (all.empty()) return refused("it names no dependency");
  return all;
}

std::string to_requirements(const std::vector<Dependency>& dependencies) {
  std::string out;
  for (const Dependency& dependency : dependencies) {
    out += dependency.name;
    for (std::size_t i = 0; i < dependency.extras.size(); ++i) {
      out += (i == 0 ? "[" : ",") + dependency.extras[i];
    }
    if (!dependency.extras.empty()) out += "]";
    out += dependency.specifiers;
    if (!dependency.marker.empty()) out += " ; " + dependency.marker;
    out += '\n';
  }
  return out;
}

}  // namespace pybox::pypi
