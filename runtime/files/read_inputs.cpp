#include "files/read_inputs.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/text.hpp"
#include "files/check_inputs.hpp"
#include "files/listing.hpp"
#include "files/name.hpp"
#include "files/reach.hpp"
#include "sys/fd.hpp"

namespace pybox::files {
namespace {

Error refused(const std::string& path, std::string_view why) {
  return {ErrorKind::Refused, "the input `" + visible(path) + "` " + std::string(why)};
}

std::string_view input_kind_fault(mode_t mode) {
  if (S_ISLNK(mode)) return "is a link, which is not followed";
  if (S_ISFIFO(mode)) return "is a FIFO, not a file or folder";
  if (S_ISSOCK(mode)) return "is a socket, not a file or folder";
  return "is a device, not a file or folder";
}

class Reader {
 public:
  /// `folder` and `entry` say where it is, `path` how the user would, `name` where it goes.
  Result<void> read(int folder, const char* entry, const std::string& path,
                    const std::string& name);
  std::vector<InputFile> take() { return std::move(inputs_); }

 private:
  Result<void> read_folder(sys::Fd folder, const std::string& path, const std::string& name);
  Result<void> read_file(const sys::Fd& fd, const std::string& path, const std::string& name,
                         std::uint64_t size);
  Result<void> add(InputFile input, const std::string& path);

  std::vector<InputFile> inputs_;
  std::uint64_t total_ = 0;
};

Result<void> Reader::add(InputFile input, const std::string& path) {
  if (inputs_.size() >= ceiling::kInputEntries) {
    return refused(path, "is one too many: at most " + std::to_string(ceiling::kInputEntries) +
                             " files and folders are handed in")
        .hint("pack them into one archive, which the program can read with zipfile or tarfile");
  }
  inputs_.push_back(std::move(input));
  return {};
}

Result<void> Reader::read(int folder, const char* entry, const std::string& path,
                          const std::string& name) {
  const auto failed = [&](int code) {
    return Error::from_errno(code, "reading the input `" + visible(path) + "`")
        .as(ErrorKind::Usage);
  };
  struct stat info {};
  if (kConfined.look(folder, entry, &info) != 0) return failed(errno);
  const bool is_folder = S_ISDIR(info.st_mode);
  if (S_ISLNK(info.st_mode))
    return refused(path, input_kind_fault(info.st_mode)).hint("name the file or folder itself");
  if (!is_folder && !S_ISREG(info.st_mode)) return refused(path, input_kind_fault(info.st_mode));
  if (std::string_view fault = fault_of_path(name); !fault.empty())
    return refused(path, "cannot be handed in: " + std::string(fault)).hint("give it another name");
  sys::Fd fd(::openat(folder, entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd.is_open()) return failed(errno);
  struct stat now {};
  if (::fstat(fd.get(), &now) != 0 || now.st_dev != info.st_dev || now.st_ino != info.st_ino)
    return refused(path, "changed while it was read");
  if (is_folder) return read_folder(std::move(fd), path, name);
  return read_file(fd, path, name, static_cast<std::uint64_t>(info.st_size));
}

Result<void> Reader::read_folder(sys::Fd folder, const std::string& path, const std::string& name) {
  PYBOX_TRY(add({name, "", InputFile::Kind::Folder}, path));
  const auto entries = PYBOX_TRY_CONTEXT(list_folder(folder.get()), "`" + visible(path) + "`");
  for (const Entry& entry : entries) {
    PYBOX_TRY(
        read(folder.get(), entry.name.c_str(), path + "/" + entry.name, name + "/" + entry.name));
  }
  return {};
}

Result<void> Reader::read_file(const sys::Fd& fd, const std::string& path, const std::string& name,
                               std::uint64_t size) {
  const std::uint64_t left = ceiling::kInputBytes.count - total_;
  const auto too_large = [&] {
    return refused(path, "of " + human_size(Bytes{size}) + " is too large: at most " +
                             human_size(ceiling::kInputBytes) + " are handed in, in all");
  };
  if (size > left) return too_large();
  auto bytes = sys::read_to_end(fd.get(), left);
  if (!bytes && bytes.error().kind() == ErrorKind::Refused) return too_large();
  if (!bytes)
    return std::move(bytes)
        .error()
        .as(ErrorKind::Usage)
        .context("the input `" + visible(path) + "`");
  total_ += bytes->size();
  return add({name, std::move(*bytes)}, path);
}

/// The last component of what a path means: of "data/" it is "data", of "." the current folder's.
Result<std::string> last_component(const std::string& path) {
  std::size_t end = path.size();
  while (end > 1 && path[end - 1] == '/') --end;
  const std::string trimmed = path.substr(0, end);
  const std::string last = trimmed.substr(trimmed.rfind('/') + 1);
  if (!last.empty() && last != "." && last != "..") return last;
  std::error_code error;
  const std::string real = std::filesystem::canonical(path, error).filename();
  if (real.empty()) return refused(path, "is the root folder, or nothing");
  return real;
}

}  // namespace

Result<std::vector<InputFile>> read_inputs(std::span<const std::string> paths) {
  Reader reader;
  for (const std::string& path : paths) {
    if (path.empty()) return Error(ErrorKind::Usage, "the name of an input is empty");
    const std::string name = PYBOX_TRY(last_component(path));
    std::string trimmed = path;
    while (trimmed.size() > 1 && trimmed.back() == '/') trimmed.pop_back();
    PYBOX_TRY(reader.read(AT_FDCWD, trimmed.c_str(), trimmed, name));
  }
  std::vector<InputFile> inputs = reader.take();
  PYBOX_TRY(check_inputs(inputs));
  return inputs;
}

}  // namespace pybox::files
