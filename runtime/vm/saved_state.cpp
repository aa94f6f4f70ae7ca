#include "vm/saved_state.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox::vm {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "PBXSTATE";
constexpr std::string_view kSuffix = ".state";

struct Trailer {
  std::array<char, 8> magic{};
  std::uint64_t size = 0;
  std::uint64_t checksum = 0;
  std::uint64_t zero = 0;
};
static_assert(sizeof(Trailer) == 32);

/// Four lanes of multiply and rotate: a hundred megabytes in some 30 ms.
std::uint64_t checksum_of(std::string_view bytes) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;
  std::array<std::uint64_t, 4> lanes = {1, 2, 3, 4};
  std::size_t at = 0;
  for (; at + sizeof lanes <= bytes.size(); at += sizeof lanes) {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), bytes.data() + at, sizeof words);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      lanes[i] = (lanes[i] ^ words[i]) * kOdd;
      lanes[i] ^= lanes[i] >> 29U;
    }
  }
  std::uint64_t sum = bytes.size();
  for (; at < bytes.size(); ++at) sum = (sum ^ static_cast<unsigned char>(bytes[at])) * kOdd;
  for (const std::uint64_t lane : lanes) sum = (sum ^ lane) * kOdd;
  return sum;
}

/// A file's content as memory, for as long as this lives.
class Mapping {
 public:
  Mapping(int fd, std::size_t size) : size_(size) {
    if (size > 0) start_ = ::mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
  }
  ~Mapping() {
    if (size_ > 0 && start_ != MAP_FAILED) ::munmap(start_, size_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  bool is_open() const { return size_ > 0 && start_ != MAP_FAILED; }
  std::string_view bytes() const { return {static_cast<const char*>(start_), size_}; }

 private:
  std::size_t size_;
  void* start_ = MAP_FAILED;
};

Result<std::uint64_t> size_of(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return Error::from_errno(errno, "looking at the saved state");
  return static_cast<std::uint64_t>(info.st_size);
}

Result<void> seal(int fd) {
  Trailer trailer;
  std::memcpy(trailer.magic.data(), kMagic.data(), kMagic.size());
  trailer.size = PYBOX_TRY(size_of(fd));
  const Mapping content(fd, trailer.size);
  if (!content.is_open()) return Error(ErrorKind::Io, "the saved state is empty or unreadable");
  trailer.checksum = checksum_of(content.bytes());
  if (::lseek(fd, 0, SEEK_END) < 0) return Error::from_errno(errno, "sealing the saved state");
  return sys::write_all(fd, {reinterpret_cast<const char*>(&trailer), sizeof trailer});
}

bool is_whole(int fd) {
  const auto size = size_of(fd);
  if (!size || *size <= sizeof(Trailer)) return false;
  const Mapping content(fd, *size);
  if (!content.is_open()) return false;
  Trailer trailer;
  const std::size_t body = *size - sizeof trailer;
  std::memcpy(&trailer, content.bytes().data() + body, sizeof trailer);
  return std::string_view(trailer.magic.data(), kMagic.size()) == kMagic && trailer.size == body &&
         trailer.checksum == checksum_of(content.bytes().substr(0, body));
}

}  // namespace

std::string state_key(const std::vector<std::string>& parts) {
  Sha256 digest;
  // Each part with its length, so that no two lists read alike.
  for (const std::string& part : parts) digest.update(std::to_string(part.size()) + ':' + part);
  return digest.hex().substr(0, 32);
}

Result<std::string> file_identity(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return Error::from_errno(errno, file.string());
  return file.string() + ' ' + std::to_string(info.st_size) + ' ' + std::to_string(info.st_ino) +
         ' ' + std::to_string(info.st_ctim.tv_sec) + '.' + std::to_string(info.st_ctim.tv_nsec);
}

fs::path StateStore::path_of(const std::string& key) const {
  return folder_ / (key + std::string(kSuffix));
}

Result<void> StateStore::save(const std::string& key,
                              const std::function<Result<void>(int fd)>& write) const {
  PYBOX_TRY(sys::ensure_private_dir(folder_));
  const fs::path target = path_of(key);
  // Whatever else is here belongs to other keys or to a save that was killed.
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_, ignored))
    fs::remove(entry.path(), ignored);
  const fs::path draft = folder_ / (key + ".draft");
  const sys::Fd file = PYBOX_TRY(sys::open_path(draft, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW));
  Result<void> written = write(file.get());
  if (written) written = seal(file.get());
  if (written && ::rename(draft.c_str(), target.c_str()) != 0) {
    written = Error::from_errno(errno, "naming the saved state");
  }
  if (!written) fs::remove(draft, ignored);
  return written;
}

StateStore::Opened StateStore::open(const std::string& key) const {
  auto file = sys::open_path(path_of(key), O_RDONLY | O_NOFOLLOW);
  if (!file && file.error().errno_code() == ENOENT) return {};
  if (file && is_whole(file->get())) return {Found::Whole, std::move(file).value()};
  remove(key);
  return {Found::Damaged, {}};
}

void StateStore::remove(const std::string& key) const {
  std::error_code ignored;
  fs::remove(path_of(key), ignored);
}

}  // namespace pybox::vm
