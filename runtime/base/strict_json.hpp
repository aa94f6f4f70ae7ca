#pragma once
/// Reading JSON that may be hostile or mistyped: duplicate keys, unknown keys, wrong types and
/// numbers out of range are errors that name the place. The one reader for reports, orders,
/// manifests and settings. The heavy header stays in the files that end in _json.cpp; here the type
/// is only named.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pybox {

/// The largest integer that every JSON reader keeps exactly (RFC 8259 section 6, RFC 7493).
constexpr std::uint64_t kMaxJsonInteger = (std::uint64_t{1} << 53U) - 1;

/// Comments are for files that people write (config.json), never for messages.
enum class JsonComments { Refuse, Allow };

/// Parses one JSON text, nothing before it (no byte order mark, except in a file that people write)
/// and nothing after it. Refuses duplicate keys, nesting deeper than 16,
/// invalid UTF-8 and numbers no double holds. Errors have kind Protocol and say at which byte.
Result<nlohmann::json> parse_json(std::string_view text,
                                  JsonComments comments = JsonComments::Refuse);

/// The fields of one object, taken by name; finish() then refuses whatever nobody asked for.
/// Every error has kind Protocol and names the field with its path ("outcome.exit_code").
/// Lifetime: refers to the parsed value, which must outlive it.
class JsonFields {
 public:
  /// `path` is the object's own place, empty for the root.
  static Result<JsonFields> of(const nlohmann::json& value, std::string path);

  /// False when the key is absent or null.
  bool has(std::string_view key);

  Result<std::string> text(std::string_view key, std::size_t max_bytes = 4096);
  Result<bool> flag(std::string_view key);
  Result<std::uint64_t> count(std::string_view key, std::uint64_t max = kMaxJsonInteger);
  Result<double> number(std::string_view key, double min, double max);
  Result<JsonFields> object(std::string_view key);
  /// The items stay owned by the parsed value.
  Result<std::vector<const nlohmann::json*>> list(std::string_view key, std::size_t max_items);

  /// As above; null gives nullopt. An absent key is still an error.
  Result<std::optional<std::string>> text_or_null(std::string_view key,
                                                  std::size_t max_bytes = 4096);
  Result<std::optional<bool>> flag_or_null(std::string_view key);
  Result<std::optional<std::uint64_t>> count_or_null(std::string_view key,
                                                     std::uint64_t max = kMaxJsonInteger);
  Result<std::optional<double>> number_or_null(std::string_view key, double min, double max);

  /// Error when the object has a key that was never taken; offers the nearest known one.
  Result<void> finish() const;

  /// "outcome.exit_code": where a key of this object stands.
  std::string place(std::string_view key) const;

 private:
  JsonFields(const nlohmann::json& object, std::string path)
      : object_(&object), path_(std::move(path)) {}
  /// The value, or nullptr when absent; remembers that the key is known.
  const nlohmann::json* find(std::string_view key);
  bool is_null(std::string_view key);
  Error wrong(std::string_view key, std::string_view wanted) const;

  const nlohmann::json* object_;
  std::string path_;
  std::vector<std::string> known_;
};

}  // namespace pybox
