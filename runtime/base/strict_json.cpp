#include "base/strict_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace pybox {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxDepth = 16;

/// Builds the value while it watches for what nlohmann's own parser lets pass.
class StrictBuilder final : public nlohmann::json_sax<json> {
 public:
  json& root() { return root_; }
  const std::string& problem() const { return problem_; }

  bool null() override { return put(json(nullptr)); }
  bool boolean(bool value) override { return put(json(value)); }
  bool number_integer(number_integer_t value) override { return put(json(value)); }
  bool number_unsigned(number_unsigned_t value) override { return put(json(value)); }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    return put(json(value));
  }
  bool string(string_t& value) override { return put(json(std::move(value))); }
  bool binary(binary_t& /*value*/) override { return refuse("binary data"); }

  bool start_object(std::size_t /*size*/) override { return open(json::object()); }
  bool start_array(std::size_t /*size*/) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (open_.back()->contains(name))
      return refuse("the key `" + visible(name) + "` appears twice");
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const json::exception& /*error*/) override {
    return refuse("not JSON at byte " + std::to_string(position));
  }

 private:
  bool refuse(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
    return false;
  }

  json* place(json&& value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }

  bool put(json&& value) {
    place(std::move(value));
    return true;
  }

  bool open(json&& container) {
    if (open_.size() == kMaxDepth) return refuse("nested too deeply");
    open_.push_back(place(std::move(container)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  json root_;
  // Parents do not move while a child is open, so plain pointers stay valid.
  std::vector<json*> open_;
  std::string key_;
  std::string problem_;
};

Error protocol(std::string what) { return {ErrorKind::Protocol, std::move(what)}; }

}  // namespace

Result<nlohmann::json> parse_json(std::string_view text, JsonComments comments) {
  // The library takes a NUL for the end of the text and would not look at what follows.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return protocol("not JSON at byte " + std::to_string(nul + 1));
  }
  // The library would skip a byte order mark, which no message may begin with (RFC 8259, section
  // 8.1): a signed text would have a second form.
  if (comments == JsonComments::Refuse && text.substr(0, 3) == "\xEF\xBB\xBF") {
    return protocol("not JSON at byte 1: a byte order mark");
  }
  StrictBuilder builder;
  const bool parsed =
      json::sax_parse(text.begin(), text.end(), &builder, json::input_format_t::json, true,
                      comments == JsonComments::Allow);
  if (!parsed) return protocol(builder.problem().empty() ? "not JSON" : builder.problem());
  return std::move(builder.root());
}

Result<JsonFields> JsonFields::of(const json& value, std::string path) {
  if (!value.is_object()) {
    return protocol((path.empty() ? "the JSON text" : "`" + path + "`") +
                    std::string(" must be an object"));
  }
  return JsonFields(value, std::move(path));
}

std::string JsonFields::place(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

const json* JsonFields::find(std::string_view key) {
  known_.emplace_back(key);
  const auto found = object_->find(known_.back());
  return found == object_->end() ? nullptr : &*found;
}

bool JsonFields::is_null(std::string_view key) {
  const json* value = find(key);
  return value != nullptr && value->is_null();
}

bool JsonFields::has(std::string_view key) {
  const json* value = find(key);
  return value != nullptr && !value->is_null();
}

Error JsonFields::wrong(std::string_view key, std::string_view wanted) const {
  const bool absent = !object_->contains(std::string(key));
  return protocol("`" + place(key) + "` " +
                  (absent ? std::string("is missing") : "must be " + std::string(wanted)));
}

Result<std::string> JsonFields::text(std::string_view key, std::size_t max_bytes) {
  const json* value = find(key);
  if (value == nullptr || !value->is_string()) return wrong(key, "text");
  const auto& text = value->get_ref<const std::string&>();
  if (text.size() > max_bytes) {
    return wrong(key, "text of at most " + std::to_string(max_bytes) + " bytes");
  }
  return text;
}

Result<bool> JsonFields::flag(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr || !value->is_boolean()) return wrong(key, "true or false");
  return value->get<bool>();
}

Result<std::uint64_t> JsonFields::count(std::string_view key, std::uint64_t max) {
  const json* value = find(key);
  if (value == nullptr || !value->is_number_unsigned() || value->get<std::uint64_t>() > max) {
    return wrong(key, "a whole number from 0 to " + std::to_string(max));
  }
  return value->get<std::uint64_t>();
}

Result<double> JsonFields::number(std::string_view key, double min, double max) {
  const json* value = find(key);
  if (value == nullptr || !value->is_number() || !(value->get<double>() >= min) ||
      !(value->get<double>() <= max)) {
    // nlohmann writes the shortest form that reads back as the same number.
    return wrong(key, "a number from " + json(min).dump() + " to " + json(max).dump());
  }
  return value->get<double>();
}

Result<JsonFields> JsonFields::object(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr) return wrong(key, "an object");
  return of(*value, place(key));
}

Result<std::vector<const json*>> JsonFields::list(std::string_view key, std::size_t max_items) {
  const json* value = find(key);
  if (value == nullptr || !value->is_array()) return wrong(key, "a list");
  if (value->size() > max_items) {
    return wrong(key, "a list of at most " + std::to_string(max_items) + " items");
  }
  std::vector<const json*> items;
  items.reserve(value->size());
  for (const json& item : *value) items.push_back(&item);
  return items;
}

Result<std::optional<std::string>> JsonFields::text_or_null(std::string_view key,
                                                            std::size_t max_bytes) {
  if (is_null(key)) return std::optional<std::string>();
  return std::optional(PYBOX_TRY(text(key, max_bytes)));
}

Result<std::optional<bool>> JsonFields::flag_or_null(std::string_view key) {
  if (is_null(key)) return std::optional<bool>();
  return std::optional(PYBOX_TRY(flag(key)));
}

Result<std::optional<std::uint64_t>> JsonFields::count_or_null(std::string_view key,
                                                               std::uint64_t max) {
  if (is_null(key)) return std::optional<std::uint64_t>();
  return std::optional(PYBOX_TRY(count(key, max)));
}

Result<std::optional<double>> JsonFields::number_or_null(std::string_view key, double min,
                                                         double max) {
  if (is_null(key)) return std::optional<double>();
  return std::optional(PYBOX_TRY(number(key, min, max)));
}

Result<void> JsonFields::finish() const {
  for (const auto& [key, value] : object_->items()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    Error error = protocol("unknown key `" + visible(place(key)) + "`");
    const std::vector<std::string_view> names(known_.begin(), known_.end());
    const std::string_view near = nearest(key, names);
    if (!near.empty()) return std::move(error).hint("did you mean `" + place(near) + "`?");
    return error;
  }
  return {};
}

}  // namespace pybox
