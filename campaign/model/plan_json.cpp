#include <nlohmann/json.hpp>

#include "campaign/model/plan.hpp"
#include "campaign/model/shared_json.hpp"

namespace pybox::campaign {
namespace {

using nlohmann::json;

json planned_json(const PlannedCheck& planned) {
  const Check& check = planned.check;
  json arms = json::array();
  for (const Arm& arm : planned.arms) arms.push_back({{"arm", arm.name}, {"removed", arm.removed}});
  json inputs = json::object();
  for (const InputFile& file : check.inputs) inputs[file.name] = file.bytes;
  return {{"id", check.id},
          {"engine", name_of(check.engine)},
          {"area", check.area},
          {"group", check.group},
          {"claim", check.claim},
          {"probe", check.probe},
          {"driver", check.driver},
          {"benign", check.benign},
          {"ask", check.ask},
          {"cut", check.cut},
          {"oracle", check.oracle},
          {"needs_canary", check.needs_canary},
          {"own_world", check.own_world},
          {"expected", check.expected},
          {"absent", check.absent},
          {"needs", check.needs},
          {"image", check.image},
          {"timeout_us", micros(check.timeout)},
          {"inputs", inputs},
          {"return_files", check.return_files},
          {"arms", arms},
          {"texts", planned.texts}};
}

Result<void> read_programs(JsonFields& fields, const json& object, PlannedCheck& planned) {
  Check& check = planned.check;
  check.probe = PYBOX_TRY(fields.text("probe"));
  check.driver = PYBOX_TRY(fields.text("driver"));
  check.benign = PYBOX_TRY(fields.text("benign"));
  check.ask = PYBOX_TRY(fields.text("ask", kLongText));
  const auto inputs = PYBOX_TRY(text_map_of(fields, object, "inputs"));
  for (const auto& [name, bytes] : inputs)
    check.inputs.push_back({.name = name, .bytes = bytes, .kind = InputFile::Kind::File});
  planned.texts = PYBOX_TRY(text_map_of(fields, object, "texts"));
  return {};
}

Result<void> read_expected(JsonFields& fields, const json& object, Check& check) {
  JsonFields arms = PYBOX_TRY(fields.object("expected"));
  for (const auto& [arm, list] : object.at("expected").items())
    check.expected[arm] = PYBOX_TRY(texts_of(arms, arm));
  return {};
}

Result<Arm> read_arm(const json& value, std::string place) {
  JsonFields fields = PYBOX_TRY(JsonFields::of(value, std::move(place)));
  Arm arm{PYBOX_TRY(fields.text("arm")), {}};
  arm.removed = PYBOX_TRY(texts_of(fields, "removed"));
  PYBOX_TRY(fields.finish());
  return arm;
}

Result<PlannedCheck> read_planned(const json& object, const std::string& place) {
  JsonFields fields = PYBOX_TRY(JsonFields::of(object, place));
  PlannedCheck planned;
  Check& check = planned.check;
  check.id = PYBOX_TRY(fields.text("id"));
  check.engine = PYBOX_TRY(engine_of(fields));
  check.area = PYBOX_TRY(fields.text("area"));
  check.group = PYBOX_TRY(fields.text("group"));
  check.claim = PYBOX_TRY(fields.text("claim"));
  PYBOX_TRY(read_programs(fields, object, planned));
  check.cut = PYBOX_TRY(texts_of(fields, "cut"));
  check.oracle = PYBOX_TRY(fields.text("oracle"));
  check.needs_canary = PYBOX_TRY(fields.flag("needs_canary"));
  check.own_world = PYBOX_TRY(fields.flag("own_world"));
  PYBOX_TRY(read_expected(fields, object, check));
  check.absent = PYBOX_TRY(texts_of(fields, "absent"));
  check.needs = PYBOX_TRY(texts_of(fields, "needs"));
  check.image = PYBOX_TRY(fields.text("image"));
  check.timeout = from_micros(PYBOX_TRY(fields.count("timeout_us", std::uint64_t{1} << 40U)));
  check.return_files = PYBOX_TRY(fields.flag("return_files"));
  const auto arms = PYBOX_TRY(fields.list("arms", 100));
  for (const json* arm : arms)
    planned.arms.push_back(PYBOX_TRY(read_arm(*arm, fields.place("arms"))));
  PYBOX_TRY(fields.finish());
  return planned;
}

Result<Plan> read_plan(std::string_view text) {
  const json root = PYBOX_TRY(parse_json(text));
  JsonFields fields = PYBOX_TRY(JsonFields::of(root, ""));
  if (PYBOX_TRY(fields.count("schema_version")) != 1)
    return Error(ErrorKind::Evidence, "`schema_version` of the plan must be 1");
  Plan plan;
  plan.id = PYBOX_TRY(fields.text("id", 64));
  plan.created = PYBOX_TRY(fields.text("created", 64));
  plan.passes = static_cast<std::uint32_t>(PYBOX_TRY(fields.count("passes", 1000)));
  plan.expected_unmet = PYBOX_TRY(texts_of(fields, "expected_unmet", kMostChecks));
  const auto checks = PYBOX_TRY(fields.list("checks", kMostChecks));
  for (const json* check : checks) {
    const std::string place = "checks[" + std::to_string(plan.checks.size()) + "]";
    plan.checks.push_back(PYBOX_TRY(read_planned(*check, place)));
  }
  PYBOX_TRY(fields.finish());
  return plan;
}

}  // namespace

Result<std::string> plan_to_json(const Plan& plan) {
  json checks = json::array();
  for (const PlannedCheck& planned : plan.checks) checks.push_back(planned_json(planned));
  return as_line({{"schema_version", 1},
                  {"id", plan.id},
                  {"created", plan.created},
                  {"passes", plan.passes},
                  {"expected_unmet", plan.expected_unmet},
                  {"checks", checks}});
}

Result<Plan> plan_from_json(std::string_view text) {
  auto plan = read_plan(text);
  if (!plan) return std::move(plan).error().as(ErrorKind::Evidence).context("plan.json");
  return plan;
}

}  // namespace pybox::campaign
