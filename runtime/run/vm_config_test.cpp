#include "run/vm_config.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::run {
namespace {

TEST_CASE("the accelerator is the variable's, then the file's, then chosen") {
  Settings settings;
  CHECK(*accelerator_choice(nullptr, settings) == vm::AcceleratorChoice::Auto);
  CHECK(*accelerator_choice("", settings) == vm::AcceleratorChoice::Auto);
  settings.vm_accelerator = "tcg";
  CHECK(*accelerator_choice(nullptr, settings) == vm::AcceleratorChoice::Tcg);
  CHECK(*accelerator_choice("kvm", settings) == vm::AcceleratorChoice::Kvm);
  CHECK(*accelerator_choice("auto", settings) == vm::AcceleratorChoice::Auto);
}

TEST_CASE("an accelerator nobody knows is named with its place") {
  Settings settings;
  const auto wrong = accelerator_choice("warp\x1b", settings);
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().kind() == ErrorKind::Usage);
  CHECK(wrong.error().message() ==
        "PYBOX_VM_ACCELERATOR names `warp\\x1b`; it must be auto, kvm or tcg");
}

}  // namespace
}  // namespace pybox::run
