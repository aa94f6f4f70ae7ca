#include "vm/initramfs.hpp"

#include <elf.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "base/digest.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::vm {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestFile = 256_MiB;
constexpr std::string_view kPrefix = "initramfs-";

void pad(std::string& out) { out.append((4 - out.size() % 4) % 4, '\0'); }

void append_entry(std::string& out, std::uint32_t inode, const ArchiveEntry& entry) {
  // ino mode uid gid nlink mtime filesize devmajor devminor rdevmajor rdevminor namesize check
  const std::array<std::size_t, 13> fields = {
      inode, entry.mode, 0, 0, 1, 0, entry.content.size(), 0, 0, 0, 0, entry.name.size() + 1, 0};
  out += "070701";
  for (const std::size_t field : fields) {
    std::array<char, 9> text{};
    std::snprintf(text.data(), text.size(), "%08x", static_cast<unsigned>(field));
    out.append(text.data(), 8);
  }
  out += entry.name;
  out += '\0';
  pad(out);
  out += entry.content;
  pad(out);
}

}  // namespace

std::string write_archive(const std::vector<ArchiveEntry>& entries) {
  std::string out;
  std::uint32_t inode = 0;
  for (const ArchiveEntry& entry : entries) append_entry(out, ++inode, entry);
  append_entry(out, 0, {"TRAILER!!!", 0, {}});
  return out;
}

std::string_view loadable_part(std::string_view elf) {
  Elf64_Ehdr header;
  if (elf.size() < sizeof header || !elf.starts_with(ELFMAG) || elf[EI_CLASS] != ELFCLASS64) {
    return elf;
  }
  std::memcpy(&header, elf.data(), sizeof header);
  std::uint64_t end = header.e_phoff + std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
  if (header.e_phentsize != sizeof(Elf64_Phdr) || end > elf.size()) return elf;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    std::memcpy(&part, elf.data() + header.e_phoff + i * sizeof part, sizeof part);
    if (part.p_filesz > elf.size() || part.p_offset > elf.size() - part.p_filesz) return elf;
    end = std::max(end, part.p_offset + part.p_filesz);
  }
  // The header still names a section table beyond the end; the kernel's loader never looks at it.
  return elf.substr(0, end);
}

Result<void> add_modules(std::vector<ArchiveEntry>& entries, const std::vector<fs::path>& modules) {
  entries.push_back({"modules", S_IFDIR | 0755, {}});
  std::string list;
  for (const fs::path& module : modules) {
    const std::string name = module.filename();
    std::string content =
        PYBOX_TRY_CONTEXT(sys::read_file(module, kLargestFile), "reading a kernel module");
    entries.push_back({"modules/" + name, S_IFREG | 0644, std::move(content)});
    list += name + "\n";
  }
  entries.push_back({"modules.list", S_IFREG | 0644, std::move(list)});
  return {};
}

Result<std::string> compose_initramfs(const Config& config) {
  std::vector<ArchiveEntry> entries;
  const std::string boxd =
      PYBOX_TRY_CONTEXT(sys::read_file(config.boxd, kLargestFile), "reading the guest's init");
  entries.push_back({"init", S_IFREG | 0755, std::string(loadable_part(boxd))});
  if (config.first) {
    const std::string first = PYBOX_TRY_CONTEXT(sys::read_file(config.first->program, kLargestFile),
                                                "reading the guest's first process");
    entries.push_back({"first", S_IFREG | 0755, std::string(loadable_part(first))});
    entries.push_back({"note", S_IFREG | 0400, config.first->note});
  }
  PYBOX_TRY(add_modules(entries, config.modules));
  entries.push_back({"images.list", S_IFREG | 0644,
                     serial_of(config.base.image_id) + " " + config.base.image_id + "\n"});
  return write_archive(entries);
}

Result<Initramfs> place_initramfs(const Config& config) {
  const std::string archive = PYBOX_TRY(compose_initramfs(config));
  Initramfs placed;
  placed.digest = sha256_hex(archive);
  PYBOX_TRY(sys::ensure_private_dir(config.dirs.vm()));
  const std::string name = std::string(kPrefix) + placed.digest.substr(0, 16) + ".cpio";
  placed.file = config.dirs.vm() / name;
  const auto existing = sys::read_file(placed.file, kLargestFile);
  if (!existing || *existing != archive) PYBOX_TRY(sys::replace_file(placed.file, archive));
  std::error_code error;
  for (const fs::path& entry : sys::entries_of(config.dirs.vm(), error)) {
    const std::string other = entry.filename();
    if (other.starts_with(kPrefix) && other != name) fs::remove(entry, error);
  }
  return placed;
}

}  // namespace pybox::vm
