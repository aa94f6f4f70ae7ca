#include "builder/pack.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>

#include "base/text.hpp"
#include "sys/file.hpp"

namespace pybox::builder {
namespace {

constexpr std::string_view kMagic = "pybox-pack 1";
constexpr std::size_t kLongestLine = 64;
constexpr std::size_t kLongestPath = 2048;
constexpr std::size_t kLongestName = 255;
constexpr std::size_t kDeepest = 40;
constexpr std::size_t kChunk = 256 << 10U;

Error broken(std::string what) {
  return Error(ErrorKind::Evidence, "the builder's result is broken: " + std::move(what));
}

/// Digits only, no sign, no leading zero.
std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return value;
}

/// The builder could write where its result stands: it may be anything there.
Result<sys::Fd> open_pack(const std::filesystem::path& pack) {
  sys::Fd fd = PYBOX_TRY(sys::open_path(pack, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return Error::from_errno(errno, "inspecting " + pack.string());
  if (!S_ISREG(info.st_mode)) return broken("it is not a file");
  return fd;
}

}  // namespace

std::optional<std::string> trouble_with_pack_path(std::string_view path) {
  if (path.empty() || path.size() > kLongestPath) return "a path of no or too great a length";
  std::size_t depth = 0;
  for (std::string_view rest = path;; ++depth) {
    const std::size_t slash = rest.find('/');
    const std::string_view name = rest.substr(0, slash);
    if (name.empty() || name == "." || name == ".." || name.size() > kLongestName)
      return "the path `" + visible(path) + "`";
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  const bool controls = std::any_of(path.begin(), path.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (depth > kDeepest || controls) return "the path `" + visible(path) + "`";
  return std::nullopt;
}

PackReader::PackReader(sys::Fd file, PackLimits limits)
    : file_(std::move(file)), limits_(limits), buffer_(kChunk) {}

Result<void> PackReader::fill() {
  if (begin_ < end_) return {};
  begin_ = end_ = 0;
  for (;;) {
    const ssize_t n = ::read(file_.get(), buffer_.data(), buffer_.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error::from_errno(errno, "reading the builder's result");
    if (n == 0) return broken("it ends too early");
    end_ = static_cast<std::size_t>(n);
    return {};
  }
}

Result<std::string> PackReader::line() {
  std::string text;
  for (;;) {
    PYBOX_TRY(fill());
    const char c = buffer_[begin_++];
    if (c == '\n') return text;
    if (text.size() == kLongestLine) return broken("a line without an end");
    text.push_back(c);
  }
}

Result<std::string> PackReader::take(std::size_t size) {
  std::string bytes;
  bytes.reserve(size);
  while (bytes.size() < size) {
    PYBOX_TRY(fill());
    const std::size_t n = std::min(size - bytes.size(), end_ - begin_);
    bytes.append(buffer_.data() + begin_, n);
    begin_ += n;
  }
  return bytes;
}

Result<std::optional<PackEntry>> PackReader::entry_of(std::string_view header) {
  const std::size_t first = header.find(' ');
  const std::size_t second = header.find(' ', first == std::string_view::npos ? first : first + 1);
  if (second == std::string_view::npos) return broken("a malformed header line");
  const std::string_view kind = header.substr(0, first);
  const auto size = number_in(header.substr(first + 1, second - first - 1));
  const auto name_size = number_in(header.substr(second + 1));
  if (!size || !name_size) return broken("a malformed header line");
  if (kind == "end") {
    if (*size != entries_ || *name_size != 0) return broken("it lacks entries");
    return std::optional<PackEntry>{};
  }
  const bool folder = kind == "d";
  if (!(folder && *size == 0) && kind != "f" && kind != "x") return broken("an unknown kind");
  if (++entries_ > limits_.entries || *size > limits_.bytes.count - bytes_)
    return broken("it is larger than an image may be");
  bytes_ += *size;
  if (*name_size > kLongestPath) return broken("a path that is too long");
  PackEntry entry{kind.front(), *size, PYBOX_TRY(take(*name_size))};
  if (auto trouble = trouble_with_pack_path(entry.path)) return broken(std::move(*trouble));
  left_ = entry.size;
  return std::optional(std::move(entry));
}

Result<std::optional<PackEntry>> PackReader::next() {
  if (!started_ && PYBOX_TRY(line()) != kMagic) return broken("it has no header");
  started_ = true;
  while (left_ > 0) {
    PYBOX_TRY(fill());
    const std::uint64_t n = std::min<std::uint64_t>(left_, end_ - begin_);
    begin_ += n;
    left_ -= n;
  }
  const std::string header = PYBOX_TRY(line());
  return entry_of(header);
}

Result<std::string> PackReader::content(std::size_t limit) {
  if (left_ > limit) return broken("a file in it is too large");
  std::string bytes = PYBOX_TRY(take(left_));
  left_ = 0;
  return bytes;
}

Result<void> PackReader::copy_content(const sys::Fd& to) {
  while (left_ > 0) {
    PYBOX_TRY(fill());
    const std::size_t n = std::min<std::uint64_t>(left_, end_ - begin_);
    PYBOX_TRY(sys::write_all(to.get(), {buffer_.data() + begin_, n}));
    begin_ += n;
    left_ -= n;
  }
  return {};
}

Result<std::string> file_in_pack(const std::filesystem::path& pack, std::string_view path,
                                 std::size_t limit) {
  PackReader reader(PYBOX_TRY(open_pack(pack)));
  while (auto entry = PYBOX_TRY(reader.next())) {
    if (entry->path == path && entry->kind != 'd') return reader.content(limit);
  }
  return broken("it has no " + std::string(path));
}

namespace {

/// The folders made so far, open, by path: nothing is ever looked up through a path of more than
/// one component, so nothing can lead out.
class Folders {
 public:
  explicit Folders(sys::Fd root) { open_[""] = std::move(root); }

  /// The folder that holds `path`; an Error when no entry made it.
  Result<int> parent_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    const std::string folder(slash == std::string_view::npos ? "" : path.substr(0, slash));
    // Folders come before their content and are left for good: only the way down stays open.
    for (auto one = open_.begin(); one != open_.end();) {
      const bool above =
          one->first.empty() || one->first == folder || folder.starts_with(one->first + "/");
      one = above ? std::next(one) : open_.erase(one);
    }
    const auto found = open_.find(folder);
    if (found == open_.end()) return broken("`" + visible(path) + "` is outside its folder");
    return found->second.get();
  }

  Result<void> make(const std::string& path) {
    const int parent = PYBOX_TRY(parent_of(path));
    const std::string name = path.substr(path.rfind('/') + 1);
    if (::mkdirat(parent, name.c_str(), 0755) != 0) return trouble(path);
    sys::Fd folder(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder.is_open()) return trouble(path);
    open_[path] = std::move(folder);
    return {};
  }

  Result<sys::Fd> create(const std::string& path, bool executable) {
    const int parent = PYBOX_TRY(parent_of(path));
    const std::string name = path.substr(path.rfind('/') + 1);
    sys::Fd file(::openat(parent, name.c_str(),
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                          executable ? 0755 : 0644));
    if (!file.is_open()) return trouble(path);
    return file;
  }

 private:
  static Error trouble(const std::string& path) {
    if (errno == EEXIST) return broken("`" + visible(path) + "` appears in it twice");
    return Error::from_errno(errno, "writing " + visible(path));
  }
  std::map<std::string, sys::Fd> open_;
};

}  // namespace

Result<void> unpack_below(const std::filesystem::path& pack, std::string_view prefix,
                          const std::filesystem::path& target, Progress& progress,
                          PackLimits limits) {
  PackReader reader(PYBOX_TRY(open_pack(pack)), limits);
  Folders folders(PYBOX_TRY(sys::open_path(target, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)));
  std::uint64_t bytes = 0;
  while (auto entry = PYBOX_TRY(reader.next())) {
    if (!entry->path.starts_with(prefix)) continue;
    const std::string path = entry->path.substr(prefix.size());
    if (entry->kind == 'd') {
      PYBOX_TRY(folders.make(path));
      continue;
    }
    const sys::Fd file = PYBOX_TRY(folders.create(path, entry->kind == 'x'));
    PYBOX_TRY(reader.copy_content(file));
    progress.advance(bytes += entry->size, std::nullopt, Progress::Unit::Bytes);
  }
  return {};
}

}  // namespace pybox::builder
