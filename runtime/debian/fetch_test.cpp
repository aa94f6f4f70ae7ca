#include "debian/fetch.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox::debian {
namespace {

namespace fs = std::filesystem;

FetchPlan plan_for(const store::Recipe* image, const store::KernelRecipe* kernel) {
  FetchPlan plan;
  plan.cache = "/h/cache";
  plan.work = "/h/cache/work-1";
  plan.keyring = "/k.gpg";
  plan.apt_lines = {"deb [signed-by=/k.gpg] http://m.example/debian trixie main"};
  plan.image = image;
  plan.kernel = kernel;
  return plan;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("mmdebstrap runs without privileges and trusts Debian's keys only, in both steps") {
  store::Recipe image;
  image.suite = "trixie";
  image.packages = {"a", "b"};
  const FetchPlan plan = plan_for(&image, nullptr);
  for (const FetchStep step : {FetchStep::Resolve, FetchStep::Unpack}) {
    const sys::SpawnPlan spawn = mmdebstrap_plan(plan, step);
    CHECK(spawn.program == "mmdebstrap");
    CHECK(has(spawn.args, "--mode=chrootless"));
    CHECK(has(spawn.args, "--keyring=/k.gpg"));
    CHECK(has(spawn.args, "--keyring=/h/cache/work-1/no-keys"));
    CHECK(spawn.args.back() == plan.apt_lines.front());
    CHECK(has(spawn.environment, "PYBOX_CACHE=/h/cache"));
  }
}

TEST_CASE("packages are unpacked only in the second step, and only when an image is wanted") {
  store::Recipe image;
  image.suite = "trixie";
  image.packages = {"a", "b"};
  const sys::SpawnPlan resolves = mmdebstrap_plan(plan_for(&image, nullptr), FetchStep::Resolve);
  CHECK(has(resolves.args, "--variant=custom"));
  CHECK(has(resolves.environment, "PYBOX_PACKAGES=a b"));
  CHECK(has(resolves.environment, "PYBOX_KERNEL="));
  const sys::SpawnPlan unpacks = mmdebstrap_plan(plan_for(&image, nullptr), FetchStep::Unpack);
  CHECK(has(unpacks.args, "--variant=extract"));
  CHECK(has(unpacks.args, "--include=a,b"));
  CHECK(has(unpacks.args, "/h/cache/work-1/tree"));
  const store::KernelRecipe kernel = {"trixie", "linux-image-cloud-amd64", {"erofs"}, {}};
  const sys::SpawnPlan kernel_only = mmdebstrap_plan(plan_for(nullptr, &kernel), FetchStep::Unpack);
  CHECK(has(kernel_only.args, "--variant=custom"));
  CHECK(has(kernel_only.args, "trixie"));
}

TEST_CASE("the cache keeps what is in use and forgets the rest") {
  const fs::path cache = fs::temp_directory_path() / ("pybox-cache-" + random_hex(6));
  REQUIRE(sys::ensure_private_dir(cache / "archives" / "partial"));
  for (const char* name : {"a_1_all.deb", "b_1_all.deb", "lock"})
    REQUIRE(sys::replace_file(cache / "archives" / name, "x"));
  store::Package kept;
  kept.file = "a_1_all.deb";
  REQUIRE(trim_cache(cache, {kept}));
  CHECK(fs::exists(cache / "archives" / "a_1_all.deb"));
  CHECK(!fs::exists(cache / "archives" / "b_1_all.deb"));
  CHECK(fs::exists(cache / "archives" / "lock"));
  CHECK(lines_of_cached_lists(cache, "trixie").empty());
  REQUIRE(sys::replace_file(cache / "lists.complete", "deb one\ndeb two"));
  CHECK(lines_of_cached_lists(cache, "trixie") == std::vector<std::string>{"deb one", "deb two"});
  REQUIRE(sys::remove_tree(cache));
}

}  // namespace pybox::debian
