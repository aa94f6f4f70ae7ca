#include "store/registry.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "base/digest.hpp"
#include "store/recipe.hpp"
#include "store/record.hpp"
#include "store/tree.hpp"
#include "sys/file.hpp"

namespace pybox::store {
namespace {

namespace fs = std::filesystem;

/// A home with one small but valid image.
struct RegistryHome {
  sys::StateDirs dirs;
  ImageRecord record;
  RegistryHome() {
    dirs.home = fs::temp_directory_path() / ("pybox-images-" + random_hex(6));
    REQUIRE(sys::ensure_private_dir(folder() / "rootfs"));
    REQUIRE(sys::replace_file(folder() / "rootfs" / "file", "text"));
    REQUIRE(settle_tree(folder() / "rootfs"));
    NoProgress quiet;
    const std::string list = canonical_text(list_tree(folder() / "rootfs", quiet).value());
    REQUIRE(sys::replace_file(folder() / "tree.list", list));
    REQUIRE(sys::replace_file(folder() / "image.erofs", "disk"));
    record.name = "stdlib";
    record.id = tree_id(list);
    record.python = "3.13";
    record.suites = {"trixie"};
    record.recipe = digest_of(*base_recipe("3.13"));
    record.pybox_version = "0";
    record.erofs = {sha256_hex("disk"), 4, "mkfs.erofs 1.5"};
    record.packages = {{"tzdata", "1", "all", "tzdata_1_all.deb", 5, sha256_hex("x")}};
    save();
  }
  ~RegistryHome() { (void)sys::remove_tree(dirs.home); }
  fs::path folder() const { return dirs.images() / "stdlib"; }
  void save() const { REQUIRE(sys::replace_file(folder() / "manifest.json", to_json(record))); }
  Result<Image> find() const { return find_image(dirs, "stdlib", "3.13"); }
};

}  // namespace

TEST_CASE("an image record survives its own JSON") {
  const RegistryHome home;
  const auto read = image_record_from(to_json(home.record));
  REQUIRE(read);
  CHECK(read->id == home.record.id);
  CHECK(read->packages == home.record.packages);
  CHECK(read->erofs.maker == "mkfs.erofs 1.5");
  CHECK(!image_record_from("{}"));
  CHECK(!image_record_from(""));
  CHECK(!kernel_record_from(to_json(home.record)));
}

TEST_CASE("a kernel record survives its own JSON, and its ID covers names and content in order") {
  KernelRecord record;
  record.files = {{"vmlinuz", 3, sha256_hex("a")}, {"erofs.ko", 2, sha256_hex("b")}};
  record.id = kernel_id(record.files);
  record.package = {"linux", "1", "amd64", "f", 1, "d"};
  const auto read = kernel_record_from(to_json(record));
  REQUIRE(read);
  CHECK(kernel_id(read->files) == record.id);
  CHECK(read->package == record.package);
  std::swap(record.files[0], record.files[1]);
  CHECK(kernel_id(record.files) != record.id);
}

TEST_CASE("a whole image is found and verified") {
  const RegistryHome home;
  const auto image = home.find();
  REQUIRE(image);
  CHECK(image->id == home.record.id);
  CHECK(image->rootfs == home.folder() / "rootfs");
  NoProgress quiet;
  CHECK(verify_image(*image, quiet));
  const auto listed = list_images(home.dirs);
  REQUIRE(listed.size() == 1);
  CHECK(listed[0].problem.empty());
}

TEST_CASE("an unknown image, name or Python is refused with what to do") {
  const RegistryHome home;
  for (const auto& [name, python] : {std::pair("data", "3.13"),
                                     {"stdlib", "3.14"},
                                     {"../stdlib", "3.13"},
                                     {"", "3.13"},
                                     {"stdlib", "../x"}}) {
    const auto refused = find_image(home.dirs, name, python);
    REQUIRE(!refused);
    CHECK(refused.error().kind() == ErrorKind::Refused);
    CHECK(!refused.error().hint().empty());
  }
  sys::StateDirs empty;
  empty.home = home.dirs.home / "nothing";
  const auto missing = find_image(empty, "stdlib", "3.13");
  CHECK(missing.error().message() == "there is no image `stdlib` for Python 3.13");
  CHECK(missing.error().hint() == "run `pybox setup`");
  CHECK(list_images(empty).empty());
}

TEST_CASE("a stale recipe is refused") {
  RegistryHome home;
  home.record.recipe = "sha256:other";
  home.save();
  const auto stale = home.find();
  REQUIRE(!stale);
  CHECK(stale.error().kind() == ErrorKind::Refused);
  CHECK(stale.error().message().find("another recipe") != std::string::npos);
  CHECK(list_images(home.dirs).at(0).problem == stale.error().message());
}

TEST_CASE("a record that does not fit its files is refused") {
  RegistryHome home;
  SECTION("an edited list of files") {
    REQUIRE(sys::replace_file(home.folder() / "tree.list", "d 0555 - .\n"));
  }
  SECTION("an edited ID") {
    home.record.id = "sha256:" + std::string(64, '0');
    home.save();
  }
  SECTION("another image's record") {
    home.record.name = "other";
    home.save();
  }
  SECTION("no record") { fs::remove(home.folder() / "manifest.json"); }
  SECTION("a record that is not JSON") {
    REQUIRE(sys::replace_file(home.folder() / "manifest.json", "{"));
  }
  SECTION("a shortened disk") { REQUIRE(sys::replace_file(home.folder() / "image.erofs", "dis")); }
  SECTION("no disk") { fs::remove(home.folder() / "image.erofs"); }
  SECTION("no tree") { REQUIRE(sys::remove_tree(home.folder() / "rootfs")); }
  const auto damaged = home.find();
  REQUIRE(!damaged);
  CHECK(damaged.error().kind() == ErrorKind::Refused);
  CHECK(damaged.error().hint() == "run `pybox setup`");
}

TEST_CASE("verification reads every byte") {
  RegistryHome home;
  const Image image = home.find().value();
  NoProgress quiet;
  SECTION("of the disk") { REQUIRE(sys::replace_file(image.erofs, "disc")); }
  SECTION("of the tree") {
    fs::permissions(image.rootfs, fs::perms::owner_all);
    REQUIRE(sys::replace_file(image.rootfs / "file", "tent", 0444));
    fs::permissions(image.rootfs, static_cast<fs::perms>(0555));
  }
  REQUIRE(home.find());
  CHECK(verify_image(image, quiet).error().kind() == ErrorKind::Evidence);
}

}  // namespace pybox::store
