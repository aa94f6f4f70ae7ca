#include <catch2/catch_test_macros.hpp>

#include "campaign/oracle/recording_for_tests.hpp"

namespace pybox::campaign {
namespace {

TEST_CASE("a seal that differs by more or by less than the cut set is an error") {
  const std::vector<std::vector<std::string>> wrong = {{}, {"sec.sock"}, {"ns.net", "sec.sock"}};
  for (const auto& removed : wrong) {
    Recording recording(sample_check());
    recording.add({.arm = kProtected, .signature = "EPERM"});
    recording.add({.arm = kControl, .signature = kReached, .seal = seal_without(removed)});
    CHECK(recording.verdict().starts_with("error: the seal of control differs in "));
    CHECK(recording.verdict().ends_with(", not in exactly ns.net"));
  }
}

TEST_CASE("a seal that reads back another value where nothing was left out is an error") {
  Recording recording(sample_check());
  recording.add({.arm = kProtected, .signature = "EPERM"});
  Seal seal = seal_without({"ns.net"});
  seal.checks[0].observed = "otherwise, though it holds";
  recording.add({.arm = kControl, .signature = kReached, .seal = seal});
  CHECK(recording.verdict() ==
        "error: the seal of control differs in cred.uid, ns.net, not in exactly ns.net");
}

TEST_CASE("a value that each box is given anew need only hold") {
  Recording recording(sample_check());
  recording.add({.arm = kProtected, .signature = "EPERM"});
  Seal seal = seal_without({"ns.net"});
  seal.checks[0].expected = seal.checks[0].observed = "2001444321";
  recording.add({.arm = kControl, .signature = kReached, .seal = seal});
  CHECK(recording.verdict().starts_with("held: "));
}

TEST_CASE("a seal that misses a protection, or reads one back that is not there, is an error") {
  Seal less = seal_without({"ns.net"});
  less.checks.pop_back();
  Seal more = seal_without({"ns.net"});
  more.checks.push_back(more.checks[0]);
  for (const Seal& seal : {less, more}) {
    Recording recording(sample_check());
    recording.add({.arm = kProtected, .signature = "EPERM"});
    recording.add({.arm = kControl, .signature = kReached, .seal = seal});
    CHECK(recording.verdict().starts_with("error: the seal of control differs in "));
  }
}

TEST_CASE("a protected arm whose seal was not verified is an error") {
  Recording recording(sample_check());
  Seal seal = seal_without({});
  seal.verified = false;
  recording.add({.arm = kProtected, .signature = "EPERM", .seal = seal});
  recording.add({.arm = kControl, .signature = kReached});
  CHECK(recording.verdict() == "error: the seal of protected was not verified");
}

TEST_CASE("an arm of a probe without a seal is an error") {
  Recording recording(sample_check());
  recording.add({.arm = kProtected, .signature = "EPERM"});
  recording.add({.arm = kControl, .signature = kReached, .without_report = true});
  CHECK(recording.verdict() == "error: control reported no seal");
}

}  // namespace
}  // namespace pybox::campaign
