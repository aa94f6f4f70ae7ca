#include "campaign/model/check_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "base/toml.hpp"
#include "box/protection.hpp"
#include "campaign/model/check_words.hpp"
#include "campaign/model/toml_json.hpp"
#include "request/limits.hpp"

namespace pybox::campaign {
namespace {

constexpr std::array<std::string_view, 6> kNeeds = {"cgroup-v1", "cgroup-v2", "swap",
                                                    "root",      "landlock",  "image-data"};
/// What `native` and `vm` may not replace.
constexpr std::array<std::string_view, 4> kFixed = {"id", "engines", "native", "vm"};

/// An emulated machine on a busy host takes seconds to start an interpreter; a run that ends does
/// not wait for it.
constexpr Nanos kPatienceWithVm = std::chrono::seconds(45);

struct Reader {
  const CheckSources& sources;
  const IsOracle& is_oracle;
};

Result<std::string> text_of(TomlFields& fields, std::string_view key, std::string otherwise = {}) {
  const TomlValue* value = PYBOX_TRY(fields.optional(key, TomlKind::Text));
  return value == nullptr ? std::move(otherwise) : value->text;
}

Result<bool> flag_of(TomlFields& fields, std::string_view key) {
  const TomlValue* value = PYBOX_TRY(fields.optional(key, TomlKind::Flag));
  return value != nullptr && value->flag;
}

Result<void> check_protections(const std::vector<std::string>& names, std::size_t line) {
  for (const std::string& name : names) {
    if (box::find_protection(name) != nullptr) continue;
    std::vector<std::string_view> known;
    for (const box::Protection& each : box::protections()) known.push_back(each.name);
    const std::string_view meant = nearest(name, known);
    return at_line(line, ticks(name) + " is not a protection" +
                             (meant.empty() ? "" : "; did you mean " + ticks(meant) + "?"));
  }
  return {};
}

Result<void> need_source(const std::map<std::string, std::string>& files, const std::string& name,
                         std::string_view kind, std::size_t line) {
  if (name.empty() || files.contains(name)) return {};
  std::vector<std::string_view> names;
  for (const auto& [each, text] : files) names.push_back(each);
  const std::string_view meant = nearest(name, names);
  return at_line(line, "there is no " + std::string(kind) + " " + ticks(name) +
                           (meant.empty() ? "" : "; did you mean " + ticks(meant) + "?"));
}

Result<void> read_program(Check& check, TomlFields& fields, const Reader& reader,
                          std::size_t line) {
  check.probe = PYBOX_TRY(text_of(fields, "probe"));
  check.driver = PYBOX_TRY(text_of(fields, "driver"));
  check.benign = PYBOX_TRY(text_of(fields, "benign"));
  if (check.probe.empty() == check.driver.empty())
    return at_line(line, ticks(check.id) + " needs either `probe` or `driver`");
  PYBOX_TRY(need_source(reader.sources.probes, check.probe, "probe", line));
  PYBOX_TRY(need_source(reader.sources.probes, check.benign, "probe", line));
  PYBOX_TRY(need_source(reader.sources.drivers, check.driver, "driver", line));
  const TomlValue* ask = PYBOX_TRY(fields.optional("ask", TomlKind::Table));
  std::size_t time_at = 0;
  check.ask = ask == nullptr ? "{}" : toml_to_json(*ask, time_at);
  if (time_at != 0) return at_line(time_at, "`ask` holds a time; write it as a text");
  check.cut = PYBOX_TRY(words_of(fields, "cut"));
  if (check.cut.empty() && check.driver.empty())
    return at_line(line, ticks(check.id) + " has no `cut`: without a control it proves nothing");
  return check_protections(check.cut, line);
}

Result<void> read_inputs(Check& check, TomlFields& fields) {
  const TomlValue* table = PYBOX_TRY(fields.optional("inputs", TomlKind::Table));
  if (table == nullptr) return {};
  for (const auto& [name, value] : table->fields) {
    if (value.kind != TomlKind::Text)
      return at_line(value.line, "`inputs." + visible(name) + "` must be a text");
    check.inputs.push_back({.name = name, .bytes = value.text, .kind = InputFile::Kind::File});
  }
  return {};
}

Result<void> read_timeout(Check& check, TomlFields& fields) {
  const TomlValue* value = PYBOX_TRY(fields.optional("timeout_s", TomlKind::Number));
  if (value == nullptr) {
    if (check.engine == EngineKind::Vm) check.timeout = kPatienceWithVm;
    return {};
  }
  const double most = seconds(ceiling::kMaxTimeoutOperator);
  if (!std::isfinite(value->number) || value->number <= 0 || value->number > most)
    return at_line(value->line, "`timeout_s` must be more than 0 and at most 300");
  check.timeout = from_seconds(value->number);
  return {};
}

Result<void> read_needs(Check& check, TomlFields& fields, std::size_t line) {
  check.needs = PYBOX_TRY(words_of(fields, "needs"));
  for (const std::string& need : check.needs) {
    if (std::find(kNeeds.begin(), kNeeds.end(), need) == kNeeds.end())
      return at_line(line, "`needs` names " + ticks(need) + ", which nothing looks for");
  }
  return {};
}

/// The table with what `native` or `vm` replaces; `expect` is replaced key by key.
Result<TomlValue> for_engine(const TomlValue& table, EngineKind engine) {
  TomlValue merged = table;
  const auto drop = [&merged](std::string_view key) {
    std::erase_if(merged.fields, [&](const auto& field) { return field.key == key; });
  };
  drop("native");
  drop("vm");
  const TomlValue* replaced = table.find(name_of(engine));
  if (replaced == nullptr) return merged;
  for (const auto& [key, value] : replaced->fields) {
    if (std::find(kFixed.begin(), kFixed.end(), key) != kFixed.end())
      return at_line(value.line,
                     ticks(std::string(name_of(engine)) + "." + key) + " cannot be replaced");
    TomlValue whole = value;
    const TomlValue* before = merged.find(key);
    if (key == "expect" && before != nullptr && value.kind == TomlKind::Table) {
      for (const auto& field : before->fields) {
        if (value.find(field.key) == nullptr) whole.fields.push_back(field);
      }
    }
    drop(key);
    merged.fields.push_back({key, std::move(whole)});
  }
  return merged;
}

Result<Check> read_check(const TomlValue& table, const std::string& area, EngineKind engine,
                         const Reader& reader) {
  const TomlValue merged = PYBOX_TRY(for_engine(table, engine));
  TomlFields fields(merged, "the check");
  Check check;
  check.area = area;
  check.engine = engine;
  check.id = PYBOX_TRY(fields.required("id", TomlKind::Text))->text;
  fields.ignore({"engines"});
  if (!is_plain_word(check.id) || check.id.find('.') == std::string::npos)
    return at_line(table.line, ticks(check.id) + " is not an id: it must look like `group.thing`");
  check.group = PYBOX_TRY(fields.required("group", TomlKind::Text))->text;
  check.claim = PYBOX_TRY(fields.required("claim", TomlKind::Text))->text;
  if (check.group.empty() || check.claim.empty())
    return at_line(table.line, "`group` and `claim` of " + ticks(check.id) + " may not be empty");
  PYBOX_TRY(read_program(check, fields, reader, table.line));
  check.oracle = PYBOX_TRY(text_of(fields, "oracle", "probe"));
  if (!reader.is_oracle(check.oracle))
    return at_line(table.line, ticks(check.oracle) + " is not an oracle");
  check.needs_canary = PYBOX_TRY(flag_of(fields, "needs_canary"));
  check.own_world = PYBOX_TRY(flag_of(fields, "own_world"));
  if (check.own_world && engine != EngineKind::Vm)
    return at_line(table.line, "`own_world` is for the vm engine alone; set it in `vm`");
  PYBOX_TRY(read_expect(check, fields, table.line));
  check.absent = PYBOX_TRY(words_of(fields, "absent"));
  PYBOX_TRY(read_needs(check, fields, table.line));
  check.image = PYBOX_TRY(text_of(fields, "image", "stdlib"));
  PYBOX_TRY(read_timeout(check, fields));
  PYBOX_TRY(read_inputs(check, fields));
  check.return_files = PYBOX_TRY(flag_of(fields, "output"));
  PYBOX_TRY(fields.finish());
  return check;
}

Result<std::vector<EngineKind>> engines_of(const TomlValue& table) {
  TomlFields fields(table, "the check");
  const TomlValue* list = PYBOX_TRY(fields.required("engines", TomlKind::List));
  std::vector<EngineKind> engines;
  const std::vector<std::string> words = PYBOX_TRY(words_in(*list, "engines"));
  for (const std::string& word : words) {
    const auto engine = engine_from(word);
    if (!engine || (*engine != EngineKind::Vm && *engine != EngineKind::Native))
      return at_line(list->line,
                     "`engines` names " + ticks(word) + "; there are `vm` and `native`");
    engines.push_back(*engine);
  }
  if (engines.empty()) return at_line(list->line, "`engines` is empty");
  for (const EngineKind engine : {EngineKind::Vm, EngineKind::Native}) {
    const TomlValue* own = PYBOX_TRY(fields.optional(name_of(engine), TomlKind::Table));
    if (own != nullptr && std::find(engines.begin(), engines.end(), engine) == engines.end())
      return at_line(own->line, ticks(name_of(engine)) + " is given here, but not in `engines`");
  }
  return engines;
}

Result<void> read_table(std::vector<Check>& checks, std::map<std::string, std::string>& seen,
                        const std::string& file, const std::string& text, const Reader& reader) {
  // The parser is safe for ASCII alone (base/toml.cpp), and here nothing may be lost.
  const auto strange = std::find_if(text.begin(), text.end(),
                                    [](char c) { return static_cast<signed char>(c) < 0; });
  if (strange != text.end()) {
    const auto line = 1 + std::count(text.begin(), strange, '\n');
    return at_line(static_cast<std::size_t>(line), "only ASCII; write other characters as \\uXXXX");
  }
  const TomlValue document = PYBOX_TRY(parse_toml(text));
  TomlFields fields(document, "the file");
  const TomlValue* list = PYBOX_TRY(fields.required("check", TomlKind::List));
  PYBOX_TRY(fields.finish());
  for (const TomlValue& table : list->items) {
    if (table.kind != TomlKind::Table) return at_line(table.line, "`check` must be a table");
    const std::vector<EngineKind> engines = PYBOX_TRY(engines_of(table));
    for (const EngineKind engine : engines)
      checks.push_back(
          PYBOX_TRY(read_check(table, file.substr(0, file.find('/')), engine, reader)));
    const std::string& id = checks.back().id;
    const std::string here = file + " line " + std::to_string(table.line);
    const auto [other, is_new] = seen.emplace(id, here);
    if (!is_new) return at_line(table.line, ticks(id) + " is in " + other->second + " already");
  }
  return {};
}

}  // namespace

std::span<const std::string_view> known_needs() { return kNeeds; }

Result<std::vector<Check>> read_checks(const CheckSources& sources, const IsOracle& is_oracle) {
  std::vector<Check> checks;
  std::map<std::string, std::string> seen;
  for (const auto& [file, text] : sources.tables) {
    PYBOX_TRY_CONTEXT(read_table(checks, seen, file, text, {sources, is_oracle}), file);
  }
  std::sort(checks.begin(), checks.end(), [](const Check& a, const Check& b) {
    return std::tie(a.area, a.id, a.engine) < std::tie(b.area, b.id, b.engine);
  });
  return checks;
}

}  // namespace pybox::campaign
