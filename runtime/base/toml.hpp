#pragma once
/// TOML as plain values with line numbers. The heavy header stays in toml.cpp.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pybox {

enum class TomlKind { Text, Number, Flag, Time, List, Table };

/// "a text", "a list", for messages.
std::string_view name_of(TomlKind kind);

struct TomlField;

struct TomlValue {
  TomlKind kind = TomlKind::Table;
  std::size_t line = 0;               ///< the first line is 1; 0 when the parser does not know
  std::string text;                   ///< of a Text; empty otherwise
  double number = 0;                  ///< of a Number, as near as a double comes
  std::optional<std::int64_t> whole;  ///< of a Number that was written without a point
  bool flag = false;                  ///< of a Flag
  std::vector<TomlValue> items;       ///< of a List
  std::vector<TomlField> fields;      ///< of a Table, sorted by key

  /// nullptr when there is no such key.
  const TomlValue* find(std::string_view key) const;
};

struct TomlField {
  std::string key;
  TomlValue value;
};

/// A whole document whose first line is the line `first_line` of its file. Error kind Refused:
/// "line N: " and what is wrong. The caller bounds the size; nesting is bounded here. In values a
/// '%' stands for each character that is not ASCII.
Result<TomlValue> parse_toml(std::string_view text, std::size_t first_line = 1);

/// The fields of one table, taken by name, with errors that name the line. finish() refuses what
/// nobody asked for.
class TomlFields {
 public:
  /// `where` names the table in messages: "the block", "`rich`". Precondition: a Table.
  TomlFields(const TomlValue& table, std::string where)
      : table_(&table), where_(std::move(where)) {}

  /// The value, or nullptr when the key is absent; Error when it is of another kind.
  Result<const TomlValue*> optional(std::string_view key, TomlKind kind);
  Result<const TomlValue*> required(std::string_view key, TomlKind kind);
  bool has(std::string_view key);
  /// Keys that may be there and are not used.
  void ignore(std::initializer_list<std::string_view> keys);
  Result<void> finish() const;

 private:
  const TomlValue* table_;
  std::string where_;
  std::vector<std::string_view> known_;
};

}  // namespace pybox
