#include "debian/kernel_build.hpp"

#include <system_error>

#include "base/digest.hpp"
#include "base/join.hpp"
#include "base/text.hpp"
#include "debian/prepare.hpp"
#include "store/kernel.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::debian {
namespace {

namespace fs = std::filesystem;

constexpr Nanos kPatience = std::chrono::minutes(10);
constexpr Bytes kMaxFile = 256_MiB;

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

/// kernel_modules.py takes them apart; gives modules.list.
Result<std::string> add_modules(const sys::Tools& tools, const KernelSource& source,
                                const fs::path& folder, const fs::path& work,
                                store::KernelRecord& record, const fs::path& out,
                                const store::KernelRecipe& recipe) {
  const fs::path program = work / "kernel_modules.py";
  const fs::path plain = work / "kernel-modules";
  PYBOX_TRY(sys::replace_file(program, kernel_modules_program()));
  PYBOX_TRY(sys::ensure_private_dir(plain));
  const sys::ToolResult took = PYBOX_TRY(
      tools.run_well(python_of_tree(source.rootfs, *source.image,
                                    {program.string(), folder.string(), plain.string(),
                                     join(recipe.modules, ","), join(recipe.builder_modules, ",")}),
                     kPatience));
  std::string list;
  for (std::string_view names = took.out; !names.empty();) {
    const std::string name(take_line(names));
    const std::string bytes =
        PYBOX_TRY(sys::read_file(plain / fs::path(name).filename(), kMaxFile));
    PYBOX_TRY(add_file(record, out, name, bytes));
    if (!name.starts_with(store::kBuilderFolder)) list += name + "\n";
  }
  return list;
}

}  // namespace

Result<store::KernelRecord> build_kernel(const sys::Tools& tools, const store::KernelRecipe& recipe,
                                         const KernelSource& source, const fs::path& work,
                                         const fs::path& out) {
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

  const std::string list = PYBOX_TRY(add_modules(
      tools, source, unpacked / "usr/lib/modules" / record.release, work, record, out, recipe));
  record.id = store::kernel_id(record.files);
  PYBOX_TRY(sys::replace_file(out / "modules.list", list, 0444));
  PYBOX_TRY(sys::replace_file(out / "manifest.json", to_json(record), 0444));
  PYBOX_TRY(sys::remove_tree(unpacked));
  return record;
}

}  // namespace pybox::debian
