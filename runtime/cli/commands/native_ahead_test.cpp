#include "cli/commands/native_ahead.hpp"

#include <catch2/catch_test_macros.hpp>
#include <vector>

namespace pybox::cli {
namespace {

bool guess(const std::vector<std::string>& words) { return looks_native(words); }

TEST_CASE("only an exec that names the native engine starts boxd ahead") {
  CHECK(guess({"exec", "--engine", "native", "-c", "1"}));
  CHECK(guess({"exec", "--quiet", "--engine=native", "a.py"}));
  CHECK_FALSE(guess({}));
  CHECK_FALSE(guess({"exec", "-c", "1"}));
  CHECK_FALSE(guess({"exec", "--engine", "vm", "native"}));
  CHECK_FALSE(guess({"doctor", "--engine", "native"}));
  CHECK(native_ahead({}) == nullptr);
}

TEST_CASE("boxd does not wait for an image that is still to be built, nor for a help page") {
  CHECK_FALSE(guess({"exec", "--engine", "native", "--with-deps", "a.py"}));
  CHECK_FALSE(guess({"exec", "--engine", "native", "--help"}));
}

}  // namespace
}  // namespace pybox::cli
