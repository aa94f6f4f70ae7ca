#include "cli/commands/native_ahead.hpp"

namespace pybox::cli {

bool looks_native(std::span<const std::string> words) {
  if (words.empty() || words.front() != "exec") return false;
  bool native = false;
  for (std::size_t at = 1; at < words.size(); ++at) {
    if (words[at] == "--with-deps" || words[at] == "--help") return false;
    native = native || words[at] == "--engine=native" ||
             (words[at] == "native" && words[at - 1] == "--engine");
  }
  return native;
}

std::unique_ptr<engine::Engine> native_ahead(std::span<const std::string> words) {
  if (!looks_native(words)) return nullptr;
  std::unique_ptr<engine::Engine> engine = engine::make_native_engine();
  engine->get_ready();
  return engine;
}

}  // namespace pybox::cli
