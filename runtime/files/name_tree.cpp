#include "files/name_tree.hpp"

#include "files/fold.hpp"

namespace pybox::files {

std::optional<std::string> NameTree::add(std::string_view path, InputFile::Kind kind) {
  using Kind = InputFile::Kind;
  for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
    const bool last = end == std::string_view::npos;
    const std::string_view part = path.substr(0, end);
    const Kind wanted = last ? kind : Kind::Folder;
    const auto [entry, fresh] =
        by_folded_.try_emplace(folded(part), Entry{std::string(part), wanted});
    const Entry& there = entry->second;
    const bool same_folder =
        there.path == part && there.kind == Kind::Folder && wanted == Kind::Folder;
    if (!fresh && !same_folder) return there.path;
    if (last) return std::nullopt;
  }
}

}  // namespace pybox::files
