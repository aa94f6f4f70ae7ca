#include "mcp/raw_json.hpp"

#include <cstddef>

#include "mcp/wire.hpp"

namespace pybox::mcp {
namespace {

/// Longer ids are refused: they come back with every answer.
constexpr std::size_t kMaxIdBytes = 4096;

constexpr std::string_view kJsonBlank = " \t\r\n";

std::size_t skip_blank(std::string_view text, std::size_t at) {
  const std::size_t next = text.find_first_not_of(kJsonBlank, at);
  return next == std::string_view::npos ? text.size() : next;
}

/// Past the string that starts at `at`.
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

/// Past the value that starts at `at`; no recursion, whatever the depth.
std::size_t skip_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = skip_string(text, at);
    } else if (c == '[' || c == '{') {
      ++depth;
      ++at;
      continue;
    } else if (c == ']' || c == '}') {
      --depth;
      ++at;
    } else if (depth > 0) {
      ++at;
      continue;
    } else {
      const std::size_t end = text.find_first_of(" \t\r\n,]}", at);
      at = end == std::string_view::npos ? text.size() : end;
    }
    if (depth == 0) return at;
  }
  return text.size();
}

}  // namespace

std::string_view raw_member(std::string_view object, std::string_view key) {
  std::size_t at = skip_blank(object, 0);
  if (at >= object.size() || object[at] != '{') return {};
  at = skip_blank(object, at + 1);
  while (at < object.size() && object[at] == '"') {
    const std::size_t key_end = skip_string(object, at);
    const bool found = text_of(object.substr(at, key_end - at)) == key;
    const std::size_t value =
        skip_blank(object, skip_blank(object, key_end) + 1);  // past the colon
    const std::size_t value_end = skip_value(object, value);
    if (found) return object.substr(value, value_end - value);
    at = skip_blank(object, skip_blank(object, value_end) + 1);  // past the comma
  }
  return {};
}

std::vector<std::string_view> raw_elements(std::string_view list) {
  std::vector<std::string_view> elements;
  std::size_t at = skip_blank(list, 0);
  if (at >= list.size() || list[at] != '[') return elements;
  at = skip_blank(list, at + 1);
  while (at < list.size() && list[at] != ']') {
    const std::size_t end = skip_value(list, at);
    elements.push_back(list.substr(at, end - at));
    at = skip_blank(list, skip_blank(list, end) + 1);
  }
  return elements;
}

std::string usable_id(std::string_view token) {
  if (token.empty() || token.size() > kMaxIdBytes) return {};
  if (token.front() == '"') {
    const auto text = text_of(token);
    return text ? json_text(*text) : std::string();
  }
  const std::string_view digits = token.front() == '-' ? token.substr(1) : token;
  const bool whole =
      !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
  return whole ? std::string(token) : std::string();
}

}  // namespace pybox::mcp
