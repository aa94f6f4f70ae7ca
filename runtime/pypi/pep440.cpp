#include "pypi/pep440.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.hpp"
#include "pypi/pin.hpp"

namespace pybox::pypi {
namespace {

bool is_version_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool separates_parts(char c) { return c == '.' || c == '-' || c == '_'; }

std::string lower_trimmed(std::string_view text) {
  std::string out(trimmed(text));
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// Reads one version from the front of a lower-case text.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<PythonVersion> version() {
    PythonVersion v;
    take('v');
    if (!release(v)) return std::nullopt;
    if (!suffixes(v)) return std::nullopt;
    if (take('+') && !local(v)) return std::nullopt;
    return v;
  }
  std::string_view rest() const { return rest_; }

 private:
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// At most 18 digits: they fit into 64 bits.
  std::optional<std::uint64_t> number() {
    std::size_t size = 0;
    std::uint64_t value = 0;
    while (size < rest_.size() && is_version_digit(rest_[size])) {
      if (size == 18) return std::nullopt;
      value = value * 10 + static_cast<std::uint64_t>(rest_[size++] - '0');
    }
    if (size == 0) return std::nullopt;
    rest_.remove_prefix(size);
    return value;
  }

  bool release(PythonVersion& v) {
    auto first = number();
    if (!first) return false;
    if (take('!')) {
      v.epoch = *first;
      first = number();
      if (!first) return false;
    }
    v.release.push_back(*first);
    while (rest_.size() > 1 && rest_[0] == '.' && is_version_digit(rest_[1])) {
      rest_.remove_prefix(1);
      const auto part = number();
      if (!part) return false;
      v.release.push_back(*part);
    }
    return true;
  }

  /// [sep] one of `words` [sep] [number], as PEP 440's normalisation allows. Nothing is taken when
  /// no word is there; a missing number is 0.
  template <std::size_t N>
  std::optional<std::size_t> word(const std::array<std::string_view, N>& words,
                                  std::optional<std::uint64_t>& value) {
    std::string_view at = rest_;
    if (!at.empty() && separates_parts(at.front())) at.remove_prefix(1);
    for (std::size_t i = 0; i < N; ++i) {
      if (!at.starts_with(words[i])) continue;
      rest_ = at.substr(words[i].size());
      if (!rest_.empty() && separates_parts(rest_[0]) && rest_ != ".*") rest_.remove_prefix(1);
      value = 0;
      if (!rest_.empty() && is_version_digit(rest_.front())) value = number();
      return i;
    }
    return std::nullopt;
  }

  bool suffixes(PythonVersion& v) {
    // The longer words first: "rc" would else be read as "r" and "c".
    static constexpr std::array<std::string_view, 8> kPre = {"alpha", "beta", "preview", "pre",
                                                             "rc",    "a",    "b",       "c"};
    static constexpr std::array<std::string_view, 3> kPost = {"post", "rev", "r"};
    static constexpr std::array<std::string_view, 1> kDev = {"dev"};
    std::optional<std::uint64_t> value;
    if (const auto which = word(kPre, value)) {
      if (!value) return false;
      const bool alpha = *which == 0 || *which == 5;
      const bool beta = *which == 1 || *which == 6;
      v.pre = {alpha  ? PythonVersion::Pre::Alpha
               : beta ? PythonVersion::Pre::Beta
                      : PythonVersion::Pre::Candidate,
               *value};
    }
    if (rest_.size() > 1 && rest_[0] == '-' &&
        is_version_digit(rest_[1])) {  // "1.0-1" is 1.0.post1
      rest_.remove_prefix(1);
      v.post = number();
      if (!v.post) return false;
    } else if (word(kPost, v.post) && !v.post) {
      return false;
    }
    return !word(kDev, v.dev) || v.dev.has_value();
  }

  bool local(PythonVersion& v) {
    do {
      std::size_t size = 0;
      while (size < rest_.size() && (is_version_digit(rest_[size]) || is_lower(rest_[size])))
        ++size;
      if (size == 0) return false;
      const std::string_view part = rest_.substr(0, size);
      if (std::all_of(part.begin(), part.end(), is_version_digit)) {
        const auto value = number();
        if (!value) return false;
        v.local.push_back({value, {}});
      } else {
        v.local.push_back({std::nullopt, std::string(part)});
        rest_.remove_prefix(size);
      }
    } while (!rest_.empty() && separates_parts(rest_.front()) && (rest_.remove_prefix(1), true));
    return true;
  }

  std::string_view rest_;
};

std::uint64_t part_of(const std::vector<std::uint64_t>& release, std::size_t at) {
  return at < release.size() ? release[at] : 0;
}

std::strong_ordering compare_release(const PythonVersion& a, const PythonVersion& b) {
  if (a.epoch != b.epoch) return a.epoch <=> b.epoch;
  const std::size_t size = std::max(a.release.size(), b.release.size());
  for (std::size_t i = 0; i < size; ++i) {
    const auto order = part_of(a.release, i) <=> part_of(b.release, i);
    if (order != 0) return order;
  }
  return std::strong_ordering::equal;
}

/// Before a release come its pre-releases, before all of them a development release of its own.
std::pair<int, std::uint64_t> pre_rank(const PythonVersion& v) {
  if (v.pre) return {1 + static_cast<int>(v.pre->first), v.pre->second};
  return {v.dev && !v.post ? 0 : 4, 0};
}

std::strong_ordering compare_local(const PythonVersion::LocalPart& a,
                                   const PythonVersion::LocalPart& b) {
  if (a.number.has_value() != b.number.has_value()) {
    return a.number.has_value() <=> b.number.has_value();
  }
  return a.number ? *a.number <=> *b.number : a.text <=> b.text;
}

std::strong_ordering compare_public(const PythonVersion& a, const PythonVersion& b) {
  if (const auto order = compare_release(a, b); order != 0) return order;
  if (const auto order = pre_rank(a) <=> pre_rank(b); order != 0) return order;
  if (const auto order = a.post <=> b.post; order != 0) return order;
  constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  return a.dev.value_or(kNever) <=> b.dev.value_or(kNever);
}

/// "3.13.*" against a version: as many release parts as are written.
bool has_prefix(const PythonVersion& prefix, const PythonVersion& v) {
  if (prefix.epoch != v.epoch) return false;
  for (std::size_t i = 0; i < prefix.release.size(); ++i) {
    if (prefix.release[i] != part_of(v.release, i)) return false;
  }
  return true;
}

bool equals(const VersionSpecifier& s, const PythonVersion& v) {
  if (s.prefix) return has_prefix(s.version, v);
  return s.version.local.empty() ? compare_public(s.version, v) == 0 : s.version == v;
}

bool is_compatible(const PythonVersion& wanted, const PythonVersion& v) {
  PythonVersion prefix;
  prefix.epoch = wanted.epoch;
  prefix.release.assign(wanted.release.begin(), wanted.release.end() - 1);
  return compare_public(v, wanted) >= 0 && has_prefix(prefix, v);
}

/// "<2.0" means no pre-release of 2.0: nothing from 2.0.dev0 on.
bool is_below(const PythonVersion& wanted, const PythonVersion& v) {
  PythonVersion limit = wanted;
  if (!wanted.is_prerelease()) limit.dev = 0;
  return compare_public(v, limit) < 0;
}

/// ">2.0" means no post-release and no local version of 2.0.
bool is_above(const PythonVersion& wanted, const PythonVersion& v) {
  if (compare_public(v, wanted) <= 0) return false;
  PythonVersion without_post = v;
  without_post.post.reset();
  without_post.dev.reset();
  return wanted.post || !v.post || compare_public(without_post, wanted) != 0;
}

bool holds(const VersionSpecifier& s, const PythonVersion& v, std::string_view text) {
  using Operator = VersionSpecifier::Operator;
  switch (s.op) {
    case Operator::Compatible: return is_compatible(s.version, v);
    case Operator::Equal: return equals(s, v);
    case Operator::NotEqual: return !equals(s, v);
    case Operator::AtMost: return compare_public(v, s.version) <= 0;
    case Operator::AtLeast: return compare_public(v, s.version) >= 0;
    case Operator::Below: return is_below(s.version, v);
    case Operator::Above: return is_above(s.version, v);
    case Operator::Arbitrary: return lower_trimmed(text) == s.text;
  }
  return false;
}

/// Longest first: "<=" before "<".
constexpr std::array<std::pair<std::string_view, VersionSpecifier::Operator>, 8> kOperators = {{
    {"===", VersionSpecifier::Operator::Arbitrary},
    {"~=", VersionSpecifier::Operator::Compatible},
    {"==", VersionSpecifier::Operator::Equal},
    {"!=", VersionSpecifier::Operator::NotEqual},
    {"<=", VersionSpecifier::Operator::AtMost},
    {">=", VersionSpecifier::Operator::AtLeast},
    {"<", VersionSpecifier::Operator::Below},
    {">", VersionSpecifier::Operator::Above},
}};

/// Precondition: lower case, no blanks around, not empty.
std::optional<VersionSpecifier> parse_specifier(std::string_view text) {
  using Operator = VersionSpecifier::Operator;
  const auto* found = std::find_if(kOperators.begin(), kOperators.end(), [&](const auto& entry) {
    return text.starts_with(entry.first);
  });
  if (found == kOperators.end()) return std::nullopt;
  VersionSpecifier s;
  s.op = found->second;
  const std::string version = lower_trimmed(text.substr(found->first.size()));
  if (s.op == Operator::Arbitrary) {
    s.text = version;
    const bool word =
        !version.empty() && version.find_first_of(" \t\n\r\f\v;)") == std::string::npos;
    return word ? std::optional(s) : std::nullopt;
  }
  Reader reader(version);
  const auto parsed = reader.version();
  if (!parsed) return std::nullopt;
  s.version = *parsed;
  const bool equality = s.op == Operator::Equal || s.op == Operator::NotEqual;
  s.prefix = reader.rest() == ".*";
  if (!reader.rest().empty() && !s.prefix) return std::nullopt;
  const bool plain = !s.version.is_prerelease() && !s.version.post && s.version.local.empty();
  if (s.prefix && (!equality || !plain)) return std::nullopt;
  if (!s.version.local.empty() && !equality) return std::nullopt;
  if (s.op == Operator::Compatible && s.version.release.size() < 2) return std::nullopt;
  return s;
}

}  // namespace

std::strong_ordering operator<=>(const PythonVersion& a, const PythonVersion& b) {
  if (const auto order = compare_public(a, b); order != 0) return order;
  const std::size_t shared = std::min(a.local.size(), b.local.size());
  for (std::size_t i = 0; i < shared; ++i) {
    if (const auto order = compare_local(a.local[i], b.local[i]); order != 0) return order;
  }
  return a.local.size() <=> b.local.size();
}

std::optional<PythonVersion> parse_python_version(std::string_view text) {
  const std::string lower = lower_trimmed(text);
  Reader reader(lower);
  auto version = reader.version();
  return version && reader.rest().empty() ? version : std::nullopt;
}

Result<std::vector<VersionSpecifier>> parse_specifiers(std::string_view text) {
  std::vector<VersionSpecifier> specifiers;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string part = lower_trimmed(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (part.empty()) continue;
    auto specifier = parse_specifier(part);
    if (!specifier) {
      return Error(ErrorKind::Refused, in_ticks(part) + " is not a version specifier (PEP 440)");
    }
    specifiers.push_back(*std::move(specifier));
  }
  return specifiers;
}

bool matches(const std::vector<VersionSpecifier>& specifiers, const PythonVersion& version,
             std::string_view version_text) {
  return std::all_of(specifiers.begin(), specifiers.end(),
                     [&](const VersionSpecifier& s) { return holds(s, version, version_text); });
}

}  // namespace pybox::pypi
