#include "debian/modules.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::debian {
namespace {

std::string with_depends(const std::string& names) {
  using namespace std::string_literals;
  return "\x7f"s + "ELF license=GPL\0depends="s + names + "\0retpoline=Y\0"s;
}

/// Modules by name and what each depends on; reading gives a file with that .modinfo.
Result<std::vector<std::string>> order_of(const std::map<std::string, std::string>& depends,
                                          std::set<std::string> built_in,
                                          const std::vector<std::string>& wanted) {
  KernelModules modules;
  modules.built_in = std::move(built_in);
  for (const auto& [name, needed] : depends) modules.files[name] = "/m/" + name + ".ko";
  return load_order(modules, wanted, [&](const std::filesystem::path& file) -> Result<std::string> {
    return with_depends(depends.at(file.stem().string()));
  });
}

}  // namespace

TEST_CASE("a module's name is what the kernel calls it") {
  CHECK(module_name("kernel/drivers/char/hw_random/virtio-rng.ko.xz") == "virtio_rng");
  CHECK(module_name("erofs.ko") == "erofs");
}

TEST_CASE("dependencies come from .modinfo") {
  CHECK(dependencies_in(with_depends("scsi_mod,scsi-common")) ==
        std::vector<std::string>{"scsi_mod", "scsi_common"});
  CHECK(dependencies_in(with_depends("")).empty());
  CHECK(dependencies_in("no modinfo at all").empty());
}

TEST_CASE("modules load after what they depend on, once, and without what is compiled in") {
  const auto order = order_of({{"virtio_scsi", "scsi_mod"},
                               {"sd_mod", "scsi_mod,scsi_common"},
                               {"scsi_mod", "scsi_common"},
                               {"scsi_common", ""},
                               {"erofs", "crc32c"}},
                              {"crc32c"}, {"virtio_scsi", "sd_mod", "erofs", "crc32c"});
  REQUIRE(order);
  CHECK(*order ==
        std::vector<std::string>{"scsi_common", "scsi_mod", "virtio_scsi", "sd_mod", "erofs"});
}

TEST_CASE("a missing module and a circle are errors that name the module") {
  const auto missing = order_of({{"erofs", "crc32c"}}, {}, {"erofs"});
  REQUIRE(!missing);
  CHECK(missing.error().message() == "the kernel package has no module `crc32c`");
  const auto circle = order_of({{"a", "b"}, {"b", "a"}}, {}, {"a"});
  REQUIRE(!circle);
  CHECK(circle.error().kind() == ErrorKind::Evidence);
}

}  // namespace pybox::debian
