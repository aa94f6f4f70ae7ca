#include "vm/initramfs.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "sys/file.hpp"

namespace pybox::vm {
namespace {

constexpr unsigned kFolder = 0040755;
constexpr unsigned kFile = 0100644;
constexpr unsigned kProgram = 0100755;
constexpr std::size_t kAlignment = 4;

void append_hex(std::string& out, std::uint64_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (int shift = 28; shift >= 0; shift -= 4) out += kDigits[(value >> shift) & 0xfU];
}

void pad(std::string& out) {
  while (out.size() % kAlignment != 0) out += '\0';
}

void append_entry(std::string& out, std::uint64_t inode, const CpioEntry& entry) {
  // ino, mode, uid, gid, nlink, mtime, filesize, devmajor, devminor, rdevmajor, rdevminor,
  // namesize, check
  const std::array<std::uint64_t, 13> fields = {
      inode, entry.mode, 0, 0, 1, 0, entry.content.size(), 0, 0, 0, 0, entry.name.size() + 1, 0};
  out += "070701";
  for (const std::uint64_t field : fields) append_hex(out, field);
  out += entry.name;
  out += '\0';
  pad(out);
  out += entry.content;
  pad(out);
}

}  // namespace

std::string cpio_archive(const std::vector<CpioEntry>& entries) {
  std::string out;
  std::uint64_t inode = 1;
  for (const CpioEntry& entry : entries) append_entry(out, inode++, entry);
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

Result<std::string> make_initramfs(const InitramfsPlan& plan) {
  const std::string boxd = PYBOX_TRY(sys::read_file(plan.boxd, 256_MiB));
  std::vector<CpioEntry> entries = {{"init", kProgram, std::string(loadable_part(boxd))},
                                    {"modules", kFolder, {}}};
  std::string module_list;
  for (const std::filesystem::path& module : plan.modules) {
    const std::string name = module.filename();
    entries.push_back({"modules/" + name, kFile, PYBOX_TRY(sys::read_file(module))});
    module_list += name + '\n';
  }
  std::string image_list;
  for (const auto& [serial, id] : plan.images)
    image_list.append(serial).append(" ").append(id).append("\n");
  entries.push_back({"modules.list", kFile, module_list});
  entries.push_back({"images.list", kFile, image_list});
  return cpio_archive(entries);
}

}  // namespace pybox::vm
