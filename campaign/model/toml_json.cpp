#include "campaign/model/toml_json.hpp"

#include <nlohmann/json.hpp>

namespace pybox::campaign {
namespace {

nlohmann::json value_json(const TomlValue& value, std::size_t& trouble_line) {
  switch (value.kind) {
    case TomlKind::Text: return value.text;
    case TomlKind::Flag: return value.flag;
    case TomlKind::Number:
      return value.whole ? nlohmann::json(*value.whole) : nlohmann::json(value.number);
    case TomlKind::Time:
      if (trouble_line == 0) trouble_line = value.line;
      return nullptr;
    case TomlKind::List: {
      nlohmann::json list = nlohmann::json::array();
      for (const TomlValue& item : value.items) list.push_back(value_json(item, trouble_line));
      return list;
    }
    case TomlKind::Table: {
      nlohmann::json object = nlohmann::json::object();
      for (const auto& [key, field] : value.fields) object[key] = value_json(field, trouble_line);
      return object;
    }
  }
  return nullptr;
}

}  // namespace

std::string toml_to_json(const TomlValue& table, std::size_t& trouble_line) {
  trouble_line = 0;
  return value_json(table, trouble_line)
      .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace pybox::campaign
