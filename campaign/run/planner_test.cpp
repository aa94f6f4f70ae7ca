#include "campaign/run/planner.hpp"

#include <catch2/catch_test_macros.hpp>

#include "campaign/oracle/recording_for_tests.hpp"

namespace pybox::campaign {
namespace {

TEST_CASE("only one arm is planned when one is asked for, and nothing is then proven") {
  CheckSources sources{.tables = {}, .probes = {{"p.py", ""}, {"prelude.py", ""}}, .drivers = {}};
  const Plan plan =
      make_plan({.checks = {sample_check()}, .arm = kControl, .passes = 1, .expected_unmet = {}},
                sources, "id", "now")
          .value();
  REQUIRE(plan.checks.size() == 1);
  CHECK(plan.checks[0].arms.size() == 1);
  const auto none =
      make_plan({.checks = {sample_check()}, .arm = "only:x", .passes = 1, .expected_unmet = {}},
                sources, "id", "now");
  CHECK(none.error().message() == "none of the checks has an arm `only:x`");
}

TEST_CASE("checks that share a world stand together") {
  Check native = sample_check();
  Check vm = sample_check();
  vm.engine = EngineKind::Vm;
  vm.id = "a.vm";
  Check own = vm;
  own.own_world = true;
  own.id = "a.own";
  Check driver = sample_check({});
  driver.probe.clear();
  driver.driver = "d.py";
  driver.id = "a.driver";
  const Plan plan =
      make_plan({.checks = {driver, own, vm, native}, .arm = {}, .passes = 1, .expected_unmet = {}},
                {}, "id", "now")
          .value();
  std::vector<std::string> ids;
  for (const PlannedCheck& planned : plan.checks) ids.push_back(planned.check.id);
  CHECK(ids == std::vector<std::string>{"net.thing", "a.vm", "a.own", "a.driver"});
}

TEST_CASE("a plan that was written is read back as it was, and no other") {
  Check check = sample_check({"ns.net", "sec.sock"});
  check.ask = R"({"a":1})";
  check.inputs = {{.name = "a", .bytes = "b", .kind = InputFile::Kind::File}};
  check.absent = {"ENOSYS"};
  check.timeout = Millis(1500);
  const Plan plan =
      make_plan({.checks = {check}, .arm = {}, .passes = 2, .expected_unmet = {"a@vm"}}, {}, "id",
                "now")
          .value();
  const std::string text = plan_to_json(plan).value();
  CHECK(plan_to_json(plan_from_json(text).value()).value() == text);
  for (const char* key : {"\"passes\":2", "\"oracle\":\"probe\"", "\"arm\":\"control\""}) {
    std::string other = text;
    other.replace(other.find(key), 3, "\"xx");
    CHECK_FALSE(plan_from_json(other).has_value());
  }
}

TEST_CASE("expected unmet checks are words before a comment") {
  CHECK(expected_from("# all of it\na@vm  # why\n\n  b.*@native\n") ==
        std::vector<std::string>{"a@vm", "b.*@native"});
}

}  // namespace
}  // namespace pybox::campaign
