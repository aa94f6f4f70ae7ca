#include "base/toml.hpp"

// The parser asserts, and under clang's optimiser assumes, what a hostile file can break ("[[&").
// Without either it goes on to its own check and gives an error; the fuzzers hold it to that.
#undef NDEBUG
#define TOML_ASSERT(condition) static_assert(true)
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// Deeper than any lock or script block goes, shallow enough for every stack.
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>

#include <algorithm>

#include "base/refused_line.hpp"
#include "base/text.hpp"

namespace pybox {
namespace {

/// `before`: how many lines of the file come before the document.
TomlValue value_of(const toml::node& node, std::size_t before) {
  TomlValue value;
  value.line = node.source().begin.line + before;
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, field] : *table) {
      value.fields.push_back({std::string(key.str()), value_of(field, before)});
      value.fields.back().value.line = key.source().begin.line + before;
    }
    std::sort(value.fields.begin(), value.fields.end(),
              [](const TomlField& a, const TomlField& b) { return a.key < b.key; });
  } else if (const toml::array* list = node.as_array()) {
    value.kind = TomlKind::List;
    for (const toml::node& item : *list) value.items.push_back(value_of(item, before));
  } else if (const toml::value<std::string>* text = node.as_string()) {
    value.kind = TomlKind::Text;
    value.text = text->get();
  } else if (node.is_number()) {
    value.kind = TomlKind::Number;
    value.number = node.value<double>().value_or(0);
    if (const toml::value<std::int64_t>* whole = node.as_integer()) value.whole = whole->get();
  } else if (node.is_boolean()) {
    value.kind = TomlKind::Flag;
    value.flag = node.value<bool>().value_or(false);
  } else {
    value.kind = TomlKind::Time;
  }
  return value;
}

/// The same text with a '%' for each character that is not ASCII: the parser's tables of other
/// characters end in undefined behaviour for some, U+FEFB among them. What we read is ASCII; other
/// characters stand in comments and in values that nobody reads, and where ASCII is wanted a '%' is
/// refused as they would be.
Result<std::string> in_ascii(std::string_view text, std::size_t first_line) {
  std::string plain;
  std::size_t line = first_line;
  while (!text.empty()) {
    const Character c = first_character(text);
    if (c.size == 0) return refused_line(line, "no valid TOML: not UTF-8");
    // The parser takes a NUL for the end of the text in some places.
    if (c.code == 0) return refused_line(line, "no valid TOML: a NUL byte");
    if (c.code == '\n') ++line;
    plain += c.size == 1 ? text.front() : '%';
    text.remove_prefix(c.size);
  }
  return plain;
}

}  // namespace

std::string_view name_of(TomlKind kind) {
  switch (kind) {
    case TomlKind::Text: return "a text";
    case TomlKind::Number: return "a number";
    case TomlKind::Flag: return "true or false";
    case TomlKind::Time: return "a time";
    case TomlKind::List: return "a list";
    case TomlKind::Table: return "a table";
  }
  return "a value";
}

const TomlValue* TomlValue::find(std::string_view key) const {
  for (const auto& [name, value] : fields) {
    if (name == key) return &value;
  }
  return nullptr;
}

Result<TomlValue> parse_toml(std::string_view text, std::size_t first_line) {
  const std::string plain = PYBOX_TRY(in_ascii(text, first_line));
  const std::size_t before = first_line - 1;
  const toml::parse_result parsed = toml::parse(plain);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return refused_line(error.source().begin.line + before,
                        "no valid TOML: " + visible(error.description()));
  }
  return value_of(parsed.table(), before);
}

Result<const TomlValue*> TomlFields::optional(std::string_view key, TomlKind kind) {
  known_.push_back(key);
  const TomlValue* value = table_->find(key);
  if (value != nullptr && value->kind != kind) {
    return refused_line(value->line, "`" + std::string(key) + "` of " + where_ + " must be " +
                                         std::string(name_of(kind)) + ", not " +
                                         std::string(name_of(value->kind)));
  }
  return value;
}

Result<const TomlValue*> TomlFields::required(std::string_view key, TomlKind kind) {
  const TomlValue* value = PYBOX_TRY(optional(key, kind));
  if (value != nullptr) return value;
  return refused_line(table_->line, where_ + " has no `" + std::string(key) + "`");
}

bool TomlFields::has(std::string_view key) {
  known_.push_back(key);
  return table_->find(key) != nullptr;
}

void TomlFields::ignore(std::initializer_list<std::string_view> keys) {
  known_.insert(known_.end(), keys);
}

Result<void> TomlFields::finish() const {
  for (const auto& [key, value] : table_->fields) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    std::string what = in_ticks(key) + " is unknown in " + where_;
    const std::string_view meant = nearest(key, known_);
    if (!meant.empty()) what += "; did you mean `" + std::string(meant) + "`?";
    return refused_line(value.line, what);
  }
  return {};
}

}  // namespace pybox
