#include "store/kernel.hpp"

#include <fcntl.h>

#include <system_error>

#include "store/recipe.hpp"
#include "store/record.hpp"
#include "sys/file.hpp"
#include "sys/file_digest.hpp"

namespace pybox::store {

namespace fs = std::filesystem;

std::optional<fs::path> place_of_kernel_file(std::string_view name) {
  if (name == "vmlinuz") return fs::path(name);
  const bool for_builder = name.starts_with(kBuilderFolder);
  const std::string_view plain = for_builder ? name.substr(kBuilderFolder.size()) : name;
  if (!plain.ends_with(".ko") || plain.find('/') != std::string_view::npos) return std::nullopt;
  return for_builder ? fs::path(name) : fs::path("modules") / name;
}

Result<GuestKernel> find_kernel(const sys::StateDirs& dirs) {
  const fs::path folder = dirs.vm() / "kernel";
  const auto unusable = [](const std::string& why) {
    return Error(ErrorKind::HostCannot, "there is no usable guest kernel: " + why)
        .hint("run `pybox setup`");
  };
  const Result<std::string> text = sys::read_file(folder / "manifest.json", 4_MiB);
  if (!text) return unusable(text.error().message());
  const Result<KernelRecord> record = kernel_record_from(*text);
  if (!record) return unusable("its record cannot be read: " + record.error().message());
  if (record->recipe != digest_of(kernel_recipe()))
    return unusable("it was built from another recipe than this PyBox's");
  if (kernel_id(record->files) != record->id)
    return unusable("its ID is not the digest of its files' digests");
  GuestKernel kernel;
  kernel.id = record->id;
  kernel.release = record->release;
  kernel.version = record->package.version;
  std::string list;
  for (const KernelFile& file : record->files) {
    const std::optional<fs::path> place = place_of_kernel_file(file.name);
    if (!place) return unusable("its record names a strange file");
    const fs::path path = folder / *place;
    std::error_code code;
    if (fs::file_size(path, code) != file.bytes || code)
      return unusable(path.string() + " is missing or has another size");
    if (file.name == "vmlinuz") {
      kernel.vmlinuz = path;
      continue;
    }
    kernel.builder_modules.push_back(path);
    if (file.name.starts_with(kBuilderFolder)) continue;
    kernel.modules.push_back(path);
    list += file.name + "\n";
  }
  const Result<std::string> on_disk = sys::read_file(folder / "modules.list", 64_KiB);
  if (!on_disk || *on_disk != list) return unusable("modules.list is not what was recorded");
  if (kernel.vmlinuz.empty()) return unusable("its record names no vmlinuz");
  return kernel;
}

Result<void> verify_kernel(const sys::StateDirs& dirs) {
  const fs::path folder = dirs.vm() / "kernel";
  const std::string text = PYBOX_TRY(sys::read_file(folder / "manifest.json", 4_MiB));
  const KernelRecord record = PYBOX_TRY(kernel_record_from(text));
  for (const KernelFile& file : record.files) {
    const std::optional<fs::path> place = place_of_kernel_file(file.name);
    if (!place) return Error(ErrorKind::Evidence, "the kernel's record names a strange file");
    const fs::path path = folder / *place;
    const sys::Fd fd = PYBOX_TRY(sys::open_path(path, O_RDONLY | O_NOFOLLOW));
    const std::string digest =
        PYBOX_TRY(sys::digest_of_open(fd, path.string(), [](std::uint64_t) {}));
    if (digest == file.sha256) continue;
    return Error(ErrorKind::Evidence, path.string() + " differs from its record");
  }
  return {};
}

}  // namespace pybox::store
