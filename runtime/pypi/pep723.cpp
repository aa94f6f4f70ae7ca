#include "pypi/pep723.hpp"

#include <algorithm>
#include <map>

#include "base/toml.hpp"
#include "pypi/pep440.hpp"
#include "pypi/pin.hpp"

namespace pybox::pypi {
namespace {

constexpr std::string_view kStart = "# /// ";
constexpr std::string_view kEnd = "# ///";

struct Block {
  std::string_view type;
  std::size_t first = 0;  ///< index of the starting line
  std::size_t last = 0;   ///< index of the ending line
};

/// Lines as Python reads them: ended by "\n", "\r\n" or "\r".
std::vector<std::string_view> lines_of(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    lines.push_back(text.substr(0, end));
    const std::size_t mark = text.substr(end).starts_with("\r\n") ? 2 : 1;
    text.remove_prefix(std::min(end + mark, text.size()));
  }
  return lines;
}

/// The TYPE of a starting line; empty for any other line.
std::string_view type_started_by(std::string_view line) {
  if (!line.starts_with(kStart)) return {};
  const std::string_view type = line.substr(kStart.size());
  const bool good = std::all_of(type.begin(), type.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
  return good ? type : std::string_view{};
}

bool is_content(std::string_view line) { return line == "#" || line.starts_with("# "); }

/// The index of the ending line of a block that starts at `first`: the last `# ///` before the
/// comment lines end. 0 when there is none.
std::size_t end_of_block(const std::vector<std::string_view>& lines, std::size_t first) {
  std::size_t end = 0;
  for (std::size_t i = first + 1; i < lines.size() && is_content(lines[i]); ++i) {
    if (lines[i] == kEnd) end = i;
  }
  return end;
}

/// A line that its author may have meant as `# /// script`.
bool nearly_starts(std::string_view line) {
  std::string dense;
  for (const char c : line.substr(0, 64)) {
    if (c == ' ' || c == '\t') continue;
    dense += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return dense == "#///script" || dense == "#//script" || dense == "#////script";
}

Result<std::vector<Block>> blocks_in(const std::vector<std::string_view>& lines,
                                     std::string& almost) {
  std::vector<Block> blocks;
  std::map<std::string_view, std::size_t> first_of_type;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view type = type_started_by(lines[i]);
    if (type != "script" && almost.empty() && nearly_starts(lines[i])) {
      almost = "line " + std::to_string(i + 1) + " must read exactly `# /// script`";
    }
    if (type.empty()) continue;
    const std::size_t end = end_of_block(lines, i);
    if (end == 0) {
      if (type == "script") {
        almost = "the block of line " + std::to_string(i + 1) + " is not closed by a line `# ///`";
      }
      continue;
    }
    const auto [known, is_new] = first_of_type.emplace(type, i);
    if (!is_new) {
      return refused_line(i + 1, "a second " + in_ticks(type) + " block; the first is in line " +
                                     std::to_string(known->second + 1));
    }
    blocks.push_back({type, i, end});
    i = end;
  }
  return blocks;
}

Result<std::string> content_of(const std::vector<std::string_view>& lines, const Block& block) {
  std::string content;
  for (std::size_t i = block.first + 1; i < block.last; ++i) {
    if (type_started_by(lines[i]) == block.type) {
      return refused_line(i + 1, "a block starts inside the one of line " +
                                     std::to_string(block.first + 1) +
                                     "; a line that is not a comment must be between two blocks");
    }
    content += lines[i].substr(std::min<std::size_t>(2, lines[i].size()));
    content += '\n';
    if (content.size() > kMaxBlockBytes) {
      return refused_line(block.first + 1,
                          "the block has more than " + std::to_string(kMaxBlockBytes) + " bytes");
    }
  }
  return content;
}

/// Adds the line to an error that has none.
template <class T>
Result<T> at_line(std::size_t line, Result<T> result) {
  if (result) return result;
  return std::move(result).error().context("line " + std::to_string(line));
}

Result<void> read_fields(const TomlValue& table, InlineScript& script) {
  TomlFields fields(table, "the `script` block");
  if (const TomlValue* list = PYBOX_TRY(fields.optional("dependencies", TomlKind::List))) {
    if (list->items.size() > kMaxDependencies) {
      return refused_line(list->line,
                          "more than " + std::to_string(kMaxDependencies) + " dependencies");
    }
    for (const TomlValue& item : list->items) {
      if (item.kind != TomlKind::Text) {
        return refused_line(item.line,
                            "a dependency must be a text, not " + std::string(name_of(item.kind)));
      }
      script.dependencies.push_back(PYBOX_TRY(at_line(item.line, parse_dependency(item.text))));
    }
  }
  if (const TomlValue* python = PYBOX_TRY(fields.optional("requires-python", TomlKind::Text))) {
    PYBOX_TRY(at_line(python->line, parse_specifiers(python->text)));
    script.requires_python = python->text;
  }
  if (const TomlValue* tool = PYBOX_TRY(fields.optional("tool", TomlKind::Table))) {
    for (const auto& [name, value] : tool->fields) script.tools.push_back(name);
  }
  return fields.finish();
}

}  // namespace

Result<InlineScript> read_inline_script(std::string_view text) {
  InlineScript script;
  const std::vector<std::string_view> lines = lines_of(text);
  const std::vector<Block> blocks = PYBOX_TRY(blocks_in(lines, script.almost));
  const auto block =
      std::find_if(blocks.begin(), blocks.end(), [](const Block& b) { return b.type == "script"; });
  if (block == blocks.end()) return script;
  script.line = block->first + 1;
  script.almost.clear();
  script.block = PYBOX_TRY(content_of(lines, *block));
  const TomlValue table = PYBOX_TRY(parse_toml(script.block, script.line + 1));
  PYBOX_TRY(read_fields(table, script));
  return script;
}

}  // namespace pybox::pypi
