#include "box/plan.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

namespace pybox::box {
namespace {

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("root's boxes get ids that own nothing and differ from box to box") {
  const IdMap first = id_map_for(0);
  const IdMap second = id_map_for(0);
  CHECK(first.two_ids);
  CHECK(first.keeper_outside >= 0x70000000U);
  CHECK(first.program_outside == first.keeper_outside + 1);
  CHECK(first.program_outside < 0x80000000U);
  CHECK(first.program_outside != second.program_outside);
}

TEST_CASE("an ordinary user has one id to give") {
  const IdMap ids = id_map_for(1000);
  CHECK_FALSE(ids.two_ids);
  CHECK(ids.program_outside == 1000);
  CHECK(ids.keeper_outside == 1000);
}

TEST_CASE("the interpreter is started as a person would, with constants for an environment") {
  Request request;
  request.program_name = "job.py";
  request.args = {"--x", "a b"};
  request.limits = limits_for_image("stdlib");
  request.timeout = std::chrono::seconds(2);
  const BoxPlan plan = plan_box(request, id_map_for(1000), {});
  CHECK(plan.argv == std::vector<std::string>{"python3", "-I", "/tmp/job.py", "--x", "a b"});
  CHECK(contains(plan.environment, "LANG=C.UTF-8"));
  CHECK(contains(plan.environment, "OMP_NUM_THREADS=1"));
  CHECK(plan.expiry == std::chrono::seconds(120));
  CHECK(plan.limits.tmp < plan.limits.memory);
}

TEST_CASE("inputs do not take the program's share of the scratch space") {
  Request request;
  request.limits = limits_for_image("stdlib");
  request.inputs = {{"d/a", std::string(4097, 'x')}, {"e", "", InputFile::Kind::Folder}};
  const BoxPlan plan = plan_box(request, id_map_for(1000), {});
  CHECK(plan.limits.tmp.count == request.limits.tmp.count + 8192);
  CHECK(plan.limits.tmp_inodes == request.limits.tmp_inodes + 3);
  CHECK(plan.limits.memory == request.limits.memory);
}

}  // namespace pybox::box
