#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "campaign/bench/plan.hpp"
#include "campaign/model/shared_json.hpp"

namespace pybox::campaign {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostPairs = 100000;
constexpr std::size_t kMostCases = 1000;
constexpr std::size_t kLongestText = 65536;

json case_json(const BenchCasePlan& each) {
  return {{"case", each.name},         {"engine", name_of(each.engine)}, {"image", each.image},
          {"image_id", each.image_id}, {"program", each.program},        {"text", each.text},
          {"output", each.output}};
}

Result<BenchCasePlan> read_case(const json& value, const std::string& place) {
  JsonFields fields = PYBOX_TRY(JsonFields::of(value, place));
  BenchCasePlan each;
  each.name = PYBOX_TRY(fields.text("case", 255));
  const std::string engine = PYBOX_TRY(fields.text("engine", 16));
  const auto kind = engine_from(engine);
  if (!kind) return Error(ErrorKind::Evidence, "`" + place + ".engine` is not an engine");
  each.engine = *kind;
  each.image = PYBOX_TRY(fields.text("image", 64));
  each.image_id = PYBOX_TRY(fields.text("image_id", 128));
  each.program = PYBOX_TRY(fields.text("program", 64));
  each.text = PYBOX_TRY(fields.text("text", kLongestText));
  each.output = PYBOX_TRY(fields.text("output", kLongestText));
  PYBOX_TRY(fields.finish());
  return each;
}

Result<BenchPlan> read_plan(const json& root) {
  JsonFields fields = PYBOX_TRY(JsonFields::of(root, ""));
  if (PYBOX_TRY(fields.count("schema_version")) != 1)
    return Error(ErrorKind::Evidence, "`schema_version` is not 1");
  BenchPlan plan;
  plan.id = PYBOX_TRY(fields.text("id", 64));
  plan.created = PYBOX_TRY(fields.text("created", 64));
  plan.runs = static_cast<std::uint32_t>(PYBOX_TRY(fields.count("runs", kMostPairs)));
  plan.warm_up = static_cast<std::uint32_t>(PYBOX_TRY(fields.count("warm_up", kMostPairs)));
  plan.think = Millis(static_cast<std::int64_t>(PYBOX_TRY(fields.count("think_ms", kMostPairs))));
  plan.seed = PYBOX_TRY(fields.count("seed"));
  for (const json* item : PYBOX_TRY(fields.list("cases", kMostCases))) {
    const std::string place = "cases[" + std::to_string(plan.cases.size()) + "]";
    plan.cases.push_back(PYBOX_TRY(read_case(*item, place)));
  }
  PYBOX_TRY(fields.finish());
  return plan;
}

}  // namespace

Result<std::string> bench_plan_to_json(const BenchPlan& plan) {
  json cases = json::array();
  for (const BenchCasePlan& each : plan.cases) cases.push_back(case_json(each));
  return as_line({{"schema_version", 1},
                  {"id", plan.id},
                  {"created", plan.created},
                  {"runs", plan.runs},
                  {"warm_up", plan.warm_up},
                  {"think_ms", plan.think.count()},
                  {"seed", plan.seed},
                  {"cases", std::move(cases)}});
}

Result<BenchPlan> bench_plan_from_json(std::string_view text) {
  const json root = PYBOX_TRY_CONTEXT(parse_json(text), "plan.json");
  auto plan = read_plan(root);
  if (!plan) return std::move(plan).error().as(ErrorKind::Evidence).context("plan.json");
  return plan;
}

}  // namespace pybox::campaign
