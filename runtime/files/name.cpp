#include "files/name.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace pybox::files {
namespace {

constexpr std::size_t kShown = 200;

}  // namespace

std::string_view fault_of_component(std::string_view component) {
  if (component.empty() || component == "." || component == "..")
    return "its name is not a file name";
  if (component.size() > kLongestComponent) return "its name is longer than 255 bytes";
  if (component.find('/') != std::string_view::npos) return "its name holds a slash";
  if (!is_utf8(component)) return "its name is not UTF-8";
  if (visible(component) != component) return "its name holds control or invisible characters";
  return {};
}

std::string_view fault_of_path(std::string_view path) {
  if (path.size() > kLongestPath) return "its path is longer than 1024 bytes";
  if (static_cast<std::size_t>(std::count(path.begin(), path.end(), '/')) >= kDeepestPath)
    return "it lies deeper than 32 folders";
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view fault = fault_of_component(path.substr(0, slash));
    if (!fault.empty() || slash == std::string_view::npos) return fault;
    path.remove_prefix(slash + 1);
  }
}

std::string shown(std::string_view name) {
  std::string text = visible(name.substr(0, kShown + 1));
  if (name.size() <= kShown && text.size() <= kShown) return text;
  text.resize(std::min(text.size(), kShown));
  return std::string(cut_at_character(text)) + "…";
}

}  // namespace pybox::files
