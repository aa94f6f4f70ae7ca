#include "pypi/pin.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "pypi/pep440.hpp"

namespace pybox::pypi {
namespace {

constexpr std::size_t kLongestName = 128;
constexpr std::size_t kLongestVersion = 128;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_letter_or_digit(char c) { return is_digit(c) || is_letter(c); }
bool separates(char c) { return c == '-' || c == '_' || c == '.'; }

}  // namespace

std::string normalised_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (separates(c)) {
      if (out.empty() || out.back() != '-') out += '-';
    } else {
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return out;
}

std::string trouble_with_name(std::string_view name) {
  const bool good = !name.empty() && name.size() <= kLongestName &&
                    is_letter_or_digit(name.front()) && is_letter_or_digit(name.back()) &&
                    std::all_of(name.begin(), name.end(),
                                [](char c) { return is_letter_or_digit(c) || separates(c); });
  if (good) return {};
  return in_ticks(name) + " is not a package name (letters, digits, `.`, `_`, `-`)";
}

std::string trouble_with_version(std::string_view version) {
  if (version.find('*') != std::string_view::npos) {
    return in_ticks(version) + " is a range, not one version";
  }
  const bool good = !version.empty() && version.size() <= kLongestVersion &&
                    is_letter_or_digit(version.front()) && is_letter_or_digit(version.back()) &&
                    std::any_of(version.begin(), version.end(), is_digit) &&
                    std::all_of(version.begin(), version.end(), [](char c) {
                      return is_letter_or_digit(c) || separates(c) || c == '!' || c == '+';
                    });
  return good ? std::string{} : in_ticks(version) + " is not a version";
}

std::string trouble_with_hash(std::string_view hash) {
  constexpr std::string_view kAlgorithm = "sha256:";
  if (!hash.starts_with(kAlgorithm)) {
    return "the hash " + in_ticks(hash) + " is not sha256; only sha256 is accepted";
  }
  const std::string_view digits = hash.substr(kAlgorithm.size());
  const bool good = digits.size() == 64 && std::all_of(digits.begin(), digits.end(), [](char c) {
                      return is_digit(c) || (c >= 'a' && c <= 'f');
                    });
  return good ? std::string{} : "the hash " + in_ticks(hash) + " is not 64 lower-case hex digits";
}

Result<std::vector<Pin>> settled_pins(std::vector<Pin> pins) {
  if (pins.empty()) return Error(ErrorKind::Refused, "the lock pins no package");
  std::stable_sort(pins.begin(), pins.end(),
                   [](const Pin& a, const Pin& b) { return a.name < b.name; });
  for (std::size_t i = 1; i < pins.size(); ++i) {
    if (pins[i - 1].name != pins[i].name) continue;
    return refused_line(pins[i].line, "`" + pins[i].name + "` is pinned twice, first in line " +
                                          std::to_string(pins[i - 1].line));
  }
  return pins;
}

}  // namespace pybox::pypi
