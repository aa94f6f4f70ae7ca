#include "base/refused_line.hpp"

#include "base/text.hpp"

namespace pybox {
namespace {

constexpr std::size_t kLongestQuote = 80;

}  // namespace

std::string in_ticks(std::string_view text) {
  if (text.size() <= kLongestQuote) return "`" + visible(text) + "`";
  return "`" + visible(cut_at_character(text.substr(0, kLongestQuote))) + "…`";
}

Error refused_line(std::size_t line, std::string_view what) {
  return Error(ErrorKind::Refused, "line " + std::to_string(line) + ": " + std::string(what));
}

}  // namespace pybox
