#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/strict_json.hpp"
#include "store/record.hpp"

namespace pybox::store {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::uint64_t kSchemaVersion = 1;
constexpr std::size_t kMostPackages = 4096;
constexpr std::string_view kBaseImage = "image";
constexpr std::string_view kPackageImage = "package-image";

ordered_json package_json(const Package& package) {
  return {
      {"name", package.name}, {"version", package.version}, {"architecture", package.architecture},
      {"file", package.file}, {"bytes", package.bytes},     {"sha256", package.sha256}};
}

Result<Package> package_from(const json& value, const std::string& place) {
  JsonFields fields = PYBOX_TRY(JsonFields::of(value, place));
  Package package;
  package.name = PYBOX_TRY(fields.text("name", 256));
  package.version = PYBOX_TRY(fields.text("version", 256));
  package.architecture = PYBOX_TRY(fields.text("architecture", 64));
  package.file = PYBOX_TRY(fields.text("file", 512));
  package.bytes = PYBOX_TRY(fields.count("bytes"));
  package.sha256 = PYBOX_TRY(fields.text("sha256", 64));
  PYBOX_TRY(fields.finish());
  return package;
}

Result<std::vector<Package>> packages_from(JsonFields& fields) {
  std::vector<Package> packages;
  const std::vector<const json*> items = PYBOX_TRY(fields.list("packages", kMostPackages));
  for (const json* item : items) {
    packages.push_back(
        PYBOX_TRY(package_from(*item, "packages[" + std::to_string(packages.size()) + "]")));
  }
  return packages;
}

Result<std::vector<std::string>> suites_from(JsonFields& fields) {
  std::vector<std::string> suites;
  const std::vector<const json*> items = PYBOX_TRY(fields.list("suites", 64));
  for (const json* item : items) {
    if (!item->is_string())
      return Error(ErrorKind::Protocol, "suites holds something that is not text");
    suites.push_back(item->get_ref<const std::string&>());
  }
  return suites;
}

Result<void> check_head(JsonFields& fields, std::string_view kind) {
  const std::uint64_t version = PYBOX_TRY(fields.count("schema_version"));
  const std::string found = PYBOX_TRY(fields.text("kind", 64));
  if (version == kSchemaVersion && found == kind) return {};
  return Error(ErrorKind::Protocol,
               "this is no " + std::string(kind) + " record of schema version 1");
}

ordered_json wheels_json(const std::vector<Wheel>& wheels) {
  ordered_json items = ordered_json::array();
  for (const Wheel& wheel : wheels) {
    items.push_back({{"name", wheel.name}, {"version", wheel.version}, {"sha256", wheel.sha256}});
  }
  return items;
}

Result<void> read_wheels(JsonFields& fields, ImageRecord& record) {
  record.base = PYBOX_TRY(fields.text("base", 128));
  record.lock = PYBOX_TRY(fields.text("lock", 128));
  if (record.lock.empty()) return Error(ErrorKind::Protocol, "lock is empty");
  const std::vector<const json*> items = PYBOX_TRY(fields.list("wheels", kMostPackages));
  for (const json* item : items) {
    JsonFields wheel =
        PYBOX_TRY(JsonFields::of(*item, "wheels[" + std::to_string(record.wheels.size()) + "]"));
    Wheel read;
    read.name = PYBOX_TRY(wheel.text("name", 256));
    read.version = PYBOX_TRY(wheel.text("version", 256));
    read.sha256 = PYBOX_TRY(wheel.text("sha256", 64));
    PYBOX_TRY(wheel.finish());
    record.wheels.push_back(std::move(read));
  }
  return {};
}

std::string printed(const ordered_json& value) {
  return value.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(const ImageRecord& record) {
  ordered_json packages = ordered_json::array();
  for (const Package& package : record.packages) packages.push_back(package_json(package));
  ordered_json value = {{"schema_version", kSchemaVersion},
                        {"kind", record.has_wheels() ? kPackageImage : kBaseImage},
                        {"name", record.name},
                        {"id", record.id},
                        {"python", record.python},
                        {"suites", record.suites},
                        {"recipe", record.recipe},
                        {"pybox_version", record.pybox_version},
                        {"tree", {{"entries", record.entries}}},
                        {"erofs",
                         {{"sha256", record.erofs.sha256},
                          {"bytes", record.erofs.bytes},
                          {"maker", record.erofs.maker}}},
                        {"packages", packages}};
  if (record.has_wheels()) {
    value["base"] = record.base;
    value["lock"] = record.lock;
    value["wheels"] = wheels_json(record.wheels);
  }
  return printed(value);
}

Result<ImageRecord> image_record_from(std::string_view text) {
  const json value = PYBOX_TRY(parse_json(text));
  JsonFields fields = PYBOX_TRY(JsonFields::of(value, ""));
  const bool has_wheels = value.is_object() && value.value("kind", json()) == kPackageImage;
  PYBOX_TRY(check_head(fields, has_wheels ? kPackageImage : kBaseImage));
  ImageRecord record;
  record.name = PYBOX_TRY(fields.text("name", 256));
  record.id = PYBOX_TRY(fields.text("id", 128));
  record.python = PYBOX_TRY(fields.text("python", 16));
  record.suites = PYBOX_TRY(suites_from(fields));
  record.recipe = PYBOX_TRY(fields.text("recipe", 128));
  record.pybox_version = PYBOX_TRY(fields.text("pybox_version", 64));
  JsonFields tree = PYBOX_TRY(fields.object("tree"));
  record.entries = PYBOX_TRY(tree.count("entries"));
  PYBOX_TRY(tree.finish());
  JsonFields erofs = PYBOX_TRY(fields.object("erofs"));
  record.erofs.sha256 = PYBOX_TRY(erofs.text("sha256", 64));
  record.erofs.bytes = PYBOX_TRY(erofs.count("bytes"));
  record.erofs.maker = PYBOX_TRY(erofs.text("maker", 256));
  PYBOX_TRY(erofs.finish());
  record.packages = PYBOX_TRY(packages_from(fields));
  if (has_wheels) PYBOX_TRY(read_wheels(fields, record));
  PYBOX_TRY(fields.finish());
  return record;
}

std::string to_json(const KernelRecord& record) {
  ordered_json files = ordered_json::array();
  for (const KernelFile& file : record.files) {
    files.push_back({{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  }
  return printed({{"schema_version", kSchemaVersion},
                  {"kind", "kernel"},
                  {"id", record.id},
                  {"release", record.release},
                  {"suites", record.suites},
                  {"recipe", record.recipe},
                  {"pybox_version", record.pybox_version},
                  {"files", files},
                  {"packages", ordered_json::array({package_json(record.package)})}});
}

Result<KernelRecord> kernel_record_from(std::string_view text) {
  const json value = PYBOX_TRY(parse_json(text));
  JsonFields fields = PYBOX_TRY(JsonFields::of(value, ""));
  PYBOX_TRY(check_head(fields, "kernel"));
  KernelRecord record;
  record.id = PYBOX_TRY(fields.text("id", 128));
  record.release = PYBOX_TRY(fields.text("release", 256));
  record.suites = PYBOX_TRY(suites_from(fields));
  record.recipe = PYBOX_TRY(fields.text("recipe", 128));
  record.pybox_version = PYBOX_TRY(fields.text("pybox_version", 64));
  const std::vector<const json*> files = PYBOX_TRY(fields.list("files", 256));
  for (const json* item : files) {
    JsonFields file =
        PYBOX_TRY(JsonFields::of(*item, "files[" + std::to_string(record.files.size()) + "]"));
    KernelFile read;
    read.name = PYBOX_TRY(file.text("name", 256));
    read.bytes = PYBOX_TRY(file.count("bytes"));
    read.sha256 = PYBOX_TRY(file.text("sha256", 64));
    PYBOX_TRY(file.finish());
    record.files.push_back(std::move(read));
  }
  const std::vector<Package> packages = PYBOX_TRY(packages_from(fields));
  if (packages.size() != 1)
    return Error(ErrorKind::Protocol, "packages must hold exactly one package");
  record.package = packages.front();
  PYBOX_TRY(fields.finish());
  return record;
}

std::string kernel_id(const std::vector<KernelFile>& files) {
  std::string text;
  for (const KernelFile& file : files) text += file.sha256 + " " + file.name + "\n";
  return "sha256:" + sha256_hex(text);
}

}  // namespace pybox::store
