#include "campaign/model/check_table.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::campaign {
namespace {

CheckSources sources_with(const std::string& table) {
  return {.tables = {{"restrictions/a.toml", table}},
          .probes = {{"p.py", "end('EPERM')\n"}, {"prelude.py", ""}},
          .drivers = {{"d.py", ""}}};
}

bool is_oracle(std::string_view name) { return name == "probe" || name == "oom"; }

Result<std::vector<Check>> read(const std::string& table) {
  return read_checks(sources_with(table), is_oracle);
}

/// The message, or what was read instead.
std::string trouble(const std::string& table) {
  const auto checks = read(table);
  return checks ? "read " + std::to_string(checks->size()) : checks.error().message();
}

const std::string kGood = R"([[check]]
id = "net.thing"
group = "Network"
claim = "A claim."
engines = ["native"]
probe = "p.py"
cut = ["ns.net"]
expect.protected = ["EPERM"]
)";

std::string with(const std::string& line) { return kGood + line + "\n"; }
std::string without(const std::string& key) {
  std::string text = kGood;
  const std::size_t at = text.find(key);
  return text.erase(at, text.find('\n', at) - at + 1);
}

TEST_CASE("a check table is read with its defaults") {
  const auto checks = read(kGood);
  REQUIRE(checks.has_value());
  REQUIRE(checks.value().size() == 1);
  const Check& check = checks.value()[0];
  CHECK(check.area == "restrictions");
  CHECK(full_id(check) == "net.thing@native");
  CHECK(check.ask == "{}");
  CHECK(check.oracle == "probe");
  CHECK(check.timeout == std::chrono::seconds(10));
  CHECK(check.expected.at(kControl) == std::vector<Signature>{kReached});
  const std::vector<Arm> arms = arms_of(check);
  REQUIRE(arms.size() == 2);
  CHECK(arms[1].removed == std::vector<std::string>{"ns.net"});
}

TEST_CASE("a cut set of two brings an arm for each member, and a benign probe one more") {
  const auto checks = read(R"([[check]]
id = "net.thing"
group = "Network"
claim = "A claim."
engines = ["native"]
probe = "p.py"
benign = "p.py"
cut = ["ns.net", "sec.sock"]
expect.protected = ["EPERM"]
expect.only.sec.sock = ["EPERM"]
)");
  REQUIRE(checks.has_value());
  const std::vector<Arm> arms = arms_of(checks.value()[0]);
  REQUIRE(arms.size() == 5);
  CHECK(arms[2].name == "only:ns.net");
  CHECK(arms[2].removed == std::vector<std::string>{"sec.sock"});
  CHECK(arms[4].name == "benign");
  CHECK(expected_of(checks.value()[0], "only:sec.sock") == std::vector<Signature>{"EPERM"});
  CHECK(expected_of(checks.value()[0], "only:ns.net").empty());
}

TEST_CASE("one table for two engines makes two checks, and an engine's table replaces values") {
  std::string table = with(
      "ask = { n = 1, deep = [true, 1.5, \"x\"] }\nnative.cut = [\"ns.ipc\"]\n"
      "vm.expect.protected = [\"EACCES\"]\nvm.own_world = true");
  table.replace(table.find("[\"native\"]"), 10, "[\"vm\", \"native\"]");
  const auto checks = read(table);
  REQUIRE(checks.has_value());
  REQUIRE(checks.value().size() == 2);
  const Check& vm = checks.value()[0];
  const Check& native = checks.value()[1];
  CHECK(vm.engine == EngineKind::Vm);
  CHECK(vm.own_world);
  CHECK_FALSE(native.own_world);
  CHECK(vm.expected.at(kProtected) == std::vector<Signature>{"EACCES"});
  CHECK(vm.expected.at(kControl) == std::vector<Signature>{kReached});
  CHECK(native.cut == std::vector<std::string>{"ns.ipc"});
  CHECK(vm.ask == R"({"deep":[true,1.5,"x"],"n":1})");
}

TEST_CASE("what a check table gets wrong is said with file and line") {
  const std::string at = "restrictions/a.toml: line ";
  CHECK(trouble(with("colour = 1")) == at + "9: `colour` is unknown in the check");
  CHECK(trouble(with("absnet = []")) ==
        at + "9: `absnet` is unknown in the check; did you mean `absent`?");
  CHECK(trouble(with("needs_canary = 1")) ==
        at + "9: `needs_canary` of the check must be true or false, not a number");
  CHECK(trouble(with("needs = [\"luck\"]")) ==
        at + "1: `needs` names `luck`, which nothing looks for");
  CHECK(trouble(with("oracle = \"delphi\"")) == at + "1: `delphi` is not an oracle");
  CHECK(trouble(with("timeout_s = 0")) ==
        at + "9: `timeout_s` must be more than 0 and at most 300");
  CHECK(trouble(with("own_world = true")) ==
        at + "1: `own_world` is for the vm engine alone; set it in `vm`");
  CHECK(trouble(with("vm.cut = [\"ns.ipc\"]")) ==
        at + "9: `vm` is given here, but not in `engines`");
  CHECK(trouble(with("driver = \"d.py\"")) ==
        at + "1: `net.thing` needs either `probe` or `driver`");
  CHECK(trouble(with("expect.control = [\"EPERM\"]")) ==
        at + "1: `EPERM` is in both `expect.protected` and `expect.control`");
  CHECK(trouble(with("expect.only.ns.net = [\"EPERM\"]")) ==
        at + "9: `expect.only` names `ns.net`, which is not a member of a cut set of two and more");
  CHECK(trouble(with("native.id = \"x.y\"")) == at + "9: `native.id` cannot be replaced");
  CHECK(trouble(with("ask = { when = 2026-01-01 }")) ==
        at + "9: `ask` holds a time; write it as a text");
  CHECK(trouble(with("inputs = { a = 1 }")) == at + "9: `inputs.a` must be a text");
  CHECK(trouble(with("# \xc3\xa4")) == at + "9: only ASCII; write other characters as \\uXXXX");
  CHECK(trouble(kGood + kGood) == at + "9: `net.thing` is in restrictions/a.toml line 1 already");
}

TEST_CASE("what a check table leaves out is said with file and line") {
  const std::string at = "restrictions/a.toml: line 1: ";
  CHECK(trouble(without("cut")) ==
        at + "`net.thing` has no `cut`: without a control it proves nothing");
  CHECK(trouble(without("probe")) == at + "`net.thing` needs either `probe` or `driver`");
  CHECK(trouble(without("claim")) == at + "the check has no `claim`");
  CHECK(trouble(without("engines")) == at + "the check has no `engines`");
  CHECK(trouble(without("expect")) == at + "the check has no `expect`");
  CHECK(trouble("") == "restrictions/a.toml: line 1: the file has no `check`");
}

TEST_CASE("names that are not there are said with the nearest one") {
  const std::string at = "restrictions/a.toml: line 1: ";
  std::string table = kGood;
  table.replace(table.find("ns.net"), 6, "ns.nett");
  CHECK(trouble(table) == at + "`ns.nett` is not a protection; did you mean `ns.net`?");
  table = kGood;
  table.replace(table.find("p.py"), 4, "q.py");
  CHECK(trouble(table) == at + "there is no probe `q.py`; did you mean `p.py`?");
  table = kGood;
  table.replace(table.find("EPERM"), 5, kReached);
  CHECK(trouble(table) == at + "`expect.protected` holds `reached`: such a check could never fail");
}

TEST_CASE("a driver may do without a cut set") {
  std::string table = without("cut");
  table.replace(table.find("probe = \"p.py\""), 14, "driver = \"d.py\"");
  const auto checks = read(table);
  REQUIRE(checks.has_value());
  CHECK(arms_of(checks.value()[0]).size() == 2);
}

TEST_CASE("every check that is compiled in can be read") {
  const auto checks = read_checks(embedded_sources(), [](std::string_view) { return true; });
  INFO((checks ? std::string() : checks.error().message()));
  REQUIRE(checks.has_value());
  CHECK(checks.value().size() >= 2);
}

}  // namespace
}  // namespace pybox::campaign
