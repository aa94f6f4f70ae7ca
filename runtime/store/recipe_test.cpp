#include "store/recipe.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

namespace pybox::store {

TEST_CASE("there is a recipe for Python 3.13, 3.14 and 3.15, each with the suite that has it") {
  REQUIRE(base_recipe("3.13") != nullptr);
  CHECK(base_recipe("3.13")->name == "stdlib");
  CHECK(base_recipe("3.13")->suite == "trixie");
  REQUIRE(base_recipe("3.14") != nullptr);
  CHECK(base_recipe("3.14")->name == "stdlib-3.14");
  CHECK(base_recipe("3.14")->packages.front() == "python3.14");
  REQUIRE(base_recipe("3.15") != nullptr);
  CHECK(digest_of(*base_recipe("3.15")) != digest_of(*base_recipe("3.14")));
  CHECK(base_recipe("3.12") == nullptr);
  CHECK(base_recipe("") == nullptr);
}

TEST_CASE("every field of a recipe is in its digest") {
  const Recipe base = *base_recipe("3.13");
  const std::string digest = digest_of(base);
  CHECK(digest.starts_with("sha256:"));
  CHECK(digest == digest_of(base));
  const auto changed = [&](auto change) {
    Recipe other = base;
    change(other);
    return digest_of(other) != digest;
  };
  CHECK(changed([](Recipe& r) { r.name += "x"; }));
  CHECK(changed([](Recipe& r) { r.python = "3.14"; }));
  CHECK(changed([](Recipe& r) { r.suite = "forky"; }));
  CHECK(changed([](Recipe& r) { r.packages.pop_back(); }));
  CHECK(changed([](Recipe& r) { r.drop.pop_back(); }));
  CHECK(changed([](Recipe& r) { r.keep_only[0].second.push_back("x"); }));
  CHECK(changed([](Recipe& r) { r.folders.pop_back(); }));
  CHECK(changed([](Recipe& r) { r.files[0].second += "x"; }));
  CHECK(changed([](Recipe& r) { r.links[0].first += "x"; }));
  // Moving text from one field to the next must not look the same.
  CHECK(changed([](Recipe& r) { std::swap(r.links[0].first, r.links[0].second); }));
}

TEST_CASE("the kernel's recipe has a digest of its own") {
  KernelRecipe kernel = kernel_recipe();
  const std::string digest = digest_of(kernel);
  kernel.modules.pop_back();
  CHECK(digest_of(kernel) != digest);
}

TEST_CASE("a box has its mount points, and no folder that was dropped without need") {
  const Recipe& recipe = *base_recipe("3.13");
  for (const char* folder : {"dev", "proc", "tmp"}) {
    CHECK(std::find(recipe.folders.begin(), recipe.folders.end(), folder) != recipe.folders.end());
  }
  CHECK(std::find(recipe.folders.begin(), recipe.folders.end(), "sys") == recipe.folders.end());
}

}  // namespace pybox::store
