#include "campaign/run/program.hpp"

namespace pybox::campaign {

std::string program_text(std::string_view ask, std::string_view prelude, std::string_view probe) {
  // JSON in ASCII within single quotes: only these two characters mean something to Python there.
  std::string quoted;
  for (const char c : ask) {
    if (c == '\\' || c == '\'') quoted += '\\';
    quoted += c;
  }
  std::string text = "ASK = __import__(\"json\").loads('" + quoted + "')\n";
  text += prelude;
  if (!text.ends_with('\n')) text += '\n';
  text += probe;
  return text;
}

}  // namespace pybox::campaign
