#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace pybox {
namespace {

struct Decoded {
  char32_t code = 0;
  std::size_t size = 0;     ///< 0: not a character
  bool unfinished = false;  ///< a valid start that the text ends in the middle of
};

Decoded decode(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, false};
  std::size_t size = 0;
  char32_t code = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    size = 2;
    code = lead & 0x1FU;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    size = 3;
    code = lead & 0x0FU;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    size = 4;
    code = lead & 0x07U;
  } else {
    return {};
  }
  for (std::size_t i = 1; i < size; ++i) {
    if (i >= s.size()) return {0, 0, true};
    const unsigned char next = byte(i);
    if ((next & 0xC0U) != 0x80) return {};
    // The second byte rules out overlong forms, surrogates and code points above U+10FFFF.
    if (i == 1 && ((lead == 0xE0 && next < 0xA0) || (lead == 0xED && next > 0x9F) ||
                   (lead == 0xF0 && next < 0x90) || (lead == 0xF4 && next > 0x8F))) {
      return {};
    }
    code = (code << 6U) | (next & 0x3FU);
  }
  return {code, size, false};
}

}  // namespace

Character first_character(std::string_view text) {
  const Decoded d = decode(text);
  return {d.code, d.size};
}

bool is_deceptive(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0xAD || code == 0x61C ||
         code == 0x180E || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) ||
         code == 0xFEFF || (code >= 0xFFF9 && code <= 0xFFFB) ||
         (code >= 0xE0000 && code <= 0xE007F);
}

std::size_t plain_run(std::string_view text) {
  // Almost all text is plain: a loop that the compiler can unroll, before the one that decodes.
  std::size_t at = 0;
  while (at < text.size() && text[at] >= ' ' && text[at] <= '~') ++at;
  return at;
}

bool is_utf8(std::string_view bytes) {
  while (true) {
    bytes.remove_prefix(plain_run(bytes));
    if (bytes.empty()) return true;
    const Decoded d = decode(bytes);
    if (d.size == 0) return false;
    bytes.remove_prefix(d.size);
  }
}

bool is_plain_word(std::string_view text) {
  return !text.empty() && text.size() <= 64 && text.front() != '.' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '_' || c == '-';
         });
}

std::string_view cut_at_character(std::string_view bytes) {
  for (std::size_t back = 1; back <= 3 && back <= bytes.size(); ++back) {
    const std::string_view tail = bytes.substr(bytes.size() - back);
    const auto lead = static_cast<unsigned char>(tail[0]);
    if ((lead & 0xC0U) == 0x80) continue;  // inside a character: look further back for its start
    return decode(tail).unfinished ? bytes.substr(0, bytes.size() - back) : bytes;
  }
  return bytes;
}

std::string visible(std::string_view untrusted, Lines lines) {
  std::string out;
  out.reserve(untrusted.size());
  std::array<char, 16> escape{};
  while (true) {
    const std::size_t plain = plain_run(untrusted);
    out += untrusted.substr(0, plain);
    untrusted.remove_prefix(plain);
    if (untrusted.empty()) return out;
    const Decoded d = decode(untrusted);
    if (d.size == 0) {
      std::snprintf(escape.data(), escape.size(), "\\x%02x",
                    static_cast<unsigned>(static_cast<unsigned char>(untrusted[0])));
      out += escape.data();
      untrusted.remove_prefix(1);
      continue;
    }
    const bool kept_control = lines == Lines::Keep && (d.code == '\n' || d.code == '\t');
    if (!is_deceptive(d.code) || kept_control) {
      out += untrusted.substr(0, d.size);
    } else if (d.code < 0x100) {
      std::snprintf(escape.data(), escape.size(), "\\x%02x", static_cast<unsigned>(d.code));
      out += escape.data();
    } else {
      std::snprintf(escape.data(), escape.size(), "\\u{%x}", static_cast<unsigned>(d.code));
      out += escape.data();
    }
    untrusted.remove_prefix(d.size);
  }
}

std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

std::string_view take_word(std::string_view& rest) {
  static constexpr std::string_view kSpace = " \t\n";
  rest.remove_prefix(std::min(rest.find_first_not_of(kSpace), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(kSpace));
  rest.remove_prefix(word.size());
  return word;
}

std::string_view trimmed(std::string_view text, std::string_view blank) {
  text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
  return text.substr(0, text.find_last_not_of(blank) + 1);
}

std::string human_size(Bytes size) {
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(size.count);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  std::array<char, 32> text{};
  const bool whole = unit == 0 || value == static_cast<double>(static_cast<std::uint64_t>(value));
  std::snprintf(text.data(), text.size(), whole ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text.data();
}

std::string human_seconds(Nanos time) {
  const double s = seconds(time);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), s < 10 ? "%.3f s" : "%.1f s", s);
  return text.data();
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = std::min<std::size_t>(3, word.size());
  for (const std::string_view candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j < row.size(); ++j) {
        const std::size_t substitute = diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace pybox
