#include "campaign/model/check_words.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace pybox::campaign {

std::string ticks(std::string_view word) { return "`" + visible(word) + "`"; }

Error at_line(std::size_t line, std::string what) {
  return {ErrorKind::Refused, "line " + std::to_string(line) + ": " + std::move(what)};
}

/// The texts of a list, none empty, none twice.
Result<std::vector<std::string>> words_in(const TomlValue& list, std::string_view key) {
  if (list.kind != TomlKind::List)
    return at_line(list.line, ticks(key) + " must be a list of texts");
  std::vector<std::string> words;
  for (const TomlValue& item : list.items) {
    if (item.kind != TomlKind::Text || item.text.empty())
      return at_line(item.line, ticks(key) + " must hold texts that are not empty");
    if (std::find(words.begin(), words.end(), item.text) != words.end())
      return at_line(item.line, ticks(key) + " names " + ticks(item.text) + " twice");
    words.push_back(item.text);
  }
  return words;
}

Result<std::vector<std::string>> words_of(TomlFields& fields, std::string_view key) {
  const TomlValue* list = PYBOX_TRY(fields.optional(key, TomlKind::List));
  if (list == nullptr) return std::vector<std::string>();
  return words_in(*list, key);
}

namespace {

/// `only.ns.net = […]` and `only."ns.net" = […]` mean the same: lists by the path to them.
void flatten(const TomlValue& table, const std::string& path,
             std::vector<std::pair<std::string, const TomlValue*>>& found) {
  for (const auto& [key, value] : table.fields) {
    const std::string place = path.empty() ? key : path + "." + key;
    if (value.kind == TomlKind::Table) {
      flatten(value, place, found);
    } else {
      found.emplace_back(place, &value);
    }
  }
}

Result<void> read_only_arms(Check& check, TomlFields& expect) {
  const TomlValue* table = PYBOX_TRY(expect.optional("only", TomlKind::Table));
  if (table == nullptr) return {};
  std::vector<std::pair<std::string, const TomlValue*>> lists;
  flatten(*table, "", lists);
  for (const auto& [name, list] : lists) {
    const bool is_cut = std::find(check.cut.begin(), check.cut.end(), name) != check.cut.end();
    if (!is_cut || check.cut.size() < 2) {
      return at_line(list->line, "`expect.only` names " + ticks(name) +
                                     ", which is not a member of a cut set of two and more");
    }
    check.expected[kOnly + name] = PYBOX_TRY(words_in(*list, "expect.only." + name));
  }
  return {};
}

}  // namespace

Result<void> read_expect(Check& check, TomlFields& fields, std::size_t line) {
  const TomlValue* table = PYBOX_TRY(fields.required("expect", TomlKind::Table));
  TomlFields expect(*table, "`expect`");
  const TomlValue* list = PYBOX_TRY(expect.required("protected", TomlKind::List));
  check.expected[kProtected] = PYBOX_TRY(words_in(*list, "expect.protected"));
  const auto& signatures = check.expected[kProtected];
  if (signatures.empty()) return at_line(line, "`expect.protected` is empty");
  if (std::find(signatures.begin(), signatures.end(), kReached) != signatures.end())
    return at_line(line, "`expect.protected` holds `reached`: such a check could never fail");
  check.expected[kControl] = PYBOX_TRY(words_of(expect, "control"));
  if (check.expected[kControl].empty()) check.expected[kControl] = {kReached};
  for (const std::string& each : check.expected[kControl]) {
    if (std::find(signatures.begin(), signatures.end(), each) != signatures.end())
      return at_line(line, ticks(each) + " is in both `expect.protected` and `expect.control`");
  }
  check.expected[kBenign] = PYBOX_TRY(words_of(expect, "benign"));
  if (check.expected[kBenign].empty()) check.expected[kBenign] = {"works"};
  if (check.benign.empty()) check.expected.erase(kBenign);
  PYBOX_TRY(read_only_arms(check, expect));
  return expect.finish();
}

}  // namespace pybox::campaign
