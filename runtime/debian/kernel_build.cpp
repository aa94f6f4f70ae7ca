#include "debian/kernel_build.hpp"

#include <algorithm>
#include <system_error>

#include "base/digest.hpp"
#include "debian/modules.hpp"
#include "debian/prepare.hpp"
#include "store/kernel.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::debian {
namespace {

namespace fs = std::filesystem;

constexpr Nanos kPatience = std::chrono::minutes(10);
constexpr Bytes kMaxFile = 256_MiB;

constexpr std::string_view kUnpackXz =
    "import lzma, sys\n"
    "with lzma.open(sys.argv[1]) as packed, open(sys.argv[2], 'wb') as plain:\n"
    "    plain.write(packed.read())\n";

/// Debian 13 packs modules with xz; a plain one is taken as it is.
Result<std::string> read_module(const sys::Tools& tools, const KernelSource& source,
                                const fs::path& file, const fs::path& scratch) {
  if (file.extension() == ".ko") return sys::read_file(file, kMaxFile);
  if (file.extension() != ".xz") {
    return Error(ErrorKind::HostCannot, "the kernel module " + file.filename().string() +
                                            " is packed in a way PyBox does not know");
  }
  PYBOX_TRY(tools.run_well(
      python_of_tree(source.rootfs, *source.image,
                     {"-c", std::string(kUnpackXz), file.string(), scratch.string()}),
      kPatience));
  return sys::read_file(scratch, kMaxFile);
}

/// The one kernel in a package: "6.12.0+deb13-cloud-amd64".
Result<std::string> release_in(const fs::path& unpacked) {
  constexpr std::string_view kPrefix = "vmlinuz-";
  std::string release;
  std::error_code code;
  for (const fs::path& entry : sys::entries_of(unpacked / "boot", code)) {
    const std::string name = entry.filename().string();
    if (!name.starts_with(kPrefix)) continue;
    if (!release.empty())
      return Error(ErrorKind::Evidence, "the kernel package holds more than one kernel");
    release = name.substr(kPrefix.size());
  }
  if (release.empty()) return Error(ErrorKind::Evidence, "the kernel package holds no kernel");
  return release;
}

Result<void> add_file(store::KernelRecord& record, const fs::path& out, const std::string& name,
                      const std::string& bytes) {
  const std::optional<fs::path> place = store::place_of_kernel_file(name);
  if (!place) return Error(ErrorKind::Evidence, "the kernel package holds a strange module");
  const fs::path path = out / *place;
  PYBOX_TRY(sys::replace_file(path, bytes, 0444));
  record.files.push_back({name, bytes.size(), sha256_hex(bytes)});
  return {};
}

}  // namespace

Result<store::KernelRecord> build_kernel(const sys::Tools& tools, const store::KernelRecipe& recipe,
                                         const KernelSource& source, const fs::path& work,
                                         const fs::path& out, Progress& progress) {
  progress.stage("preparing the guest kernel");
  const fs::path unpacked = work / "kernel-package";
  sys::SpawnPlan extract;
  extract.program = "dpkg-deb";
  extract.args = {"--extract", source.deb.string(), unpacked.string()};
  extract.environment = sys::tool_environment();
  PYBOX_TRY(tools.run_well(std::move(extract), kPatience));

  store::KernelRecord record;
  record.release = PYBOX_TRY(release_in(unpacked));
  record.recipe = digest_of(recipe);
  record.pybox_version = PYBOX_VERSION;
  record.suites = source.suites;
  record.package = source.package;
  for (const char* folder : {"modules", "builder"})
    PYBOX_TRY(sys::ensure_private_dir(out / folder));
  const std::string vmlinuz =
      PYBOX_TRY(sys::read_file(unpacked / "boot" / ("vmlinuz-" + record.release), kMaxFile));
  PYBOX_TRY(add_file(record, out, "vmlinuz", vmlinuz));

  const KernelModules modules =
      PYBOX_TRY(modules_in(unpacked / "usr/lib/modules" / record.release));
  std::map<std::string, std::string> contents;
  const auto read = [&](const fs::path& file) -> Result<std::string> {
    std::string bytes = PYBOX_TRY(read_module(tools, source, file, work / "module.ko"));
    contents[module_name(file.filename().string())] = bytes;
    return bytes;
  };
  const std::vector<std::string> order = PYBOX_TRY(load_order(modules, recipe.modules, read));
  std::vector<std::string> all = recipe.modules;
  all.insert(all.end(), recipe.builder_modules.begin(), recipe.builder_modules.end());
  const std::vector<std::string> with_builder = PYBOX_TRY(load_order(modules, all, read));
  std::string list;
  for (const std::string& name : order) {
    PYBOX_TRY(add_file(record, out, name + ".ko", contents[name]));
    list += name + ".ko\n";
  }
  for (const std::string& name : with_builder) {
    if (std::find(order.begin(), order.end(), name) != order.end()) continue;
    PYBOX_TRY(
        add_file(record, out, std::string(store::kBuilderFolder) + name + ".ko", contents[name]));
  }
  record.id = store::kernel_id(record.files);
  PYBOX_TRY(sys::replace_file(out / "modules.list", list, 0444));
  PYBOX_TRY(sys::replace_file(out / "manifest.json", to_json(record), 0444));
  PYBOX_TRY(sys::remove_tree(unpacked));
  return record;
}

}  // namespace pybox::debian
