#include "vm/saved_state.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/digest.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::vm {
namespace {

namespace fs = std::filesystem;

/// Changes when the layout of a saved guest changes without any file changing.
constexpr std::string_view kFormat = "pybox saved state 3";

/// A file seen as bytes for as long as the object lives.
class Mapped {
 public:
  static Result<Mapped> of(const sys::Fd& fd) {
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return Error::from_errno(errno, "examining a saved state");
    if (status.st_size == 0) return Error(ErrorKind::Evidence, "the saved state is empty");
    const auto size = static_cast<std::size_t>(status.st_size);
    // Populated at once: page by page would cost a fault each.
    void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd.get(), 0);
    if (start == MAP_FAILED) return Error::from_errno(errno, "reading a saved state");
    return Mapped(start, size);
  }
  ~Mapped() {
    if (start_ != nullptr) ::munmap(start_, size_);
  }
  Mapped(Mapped&& other) noexcept
      : start_(std::exchange(other.start_, nullptr)), size_(other.size_) {}
  Mapped& operator=(Mapped&&) = delete;
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(start_), size_}; }

 private:
  Mapped(void* start, std::size_t size) : start_(start), size_(size) {}
  void* start_;
  std::size_t size_;
};

std::string suffix_of(std::string_view bytes) {
  return fmt::format("-{:016x}-{}.state", checksum(bytes), bytes.size());
}

}  // namespace

Result<std::string> state_key(const MachineFacts& facts) {
  struct stat status {};
  if (::stat(facts.qemu.c_str(), &status) != 0) {
    return Error::from_errno(errno, "examining " + facts.qemu.string());
  }
  // Each field ends with a NUL, which none contains.
  Sha256 digest;
  const auto add = [&digest](std::string_view field) {
    digest.update(field);
    digest.update(std::string_view("\0", 1));
  };
  add(kFormat);
  add(facts.qemu.string());
  add(fmt::format("{} {}.{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec));
  for (const std::string& word : facts.arguments) add(word);
  add(facts.kernel_id);
  add(facts.initramfs);
  add(facts.image_id);
  add(facts.processor);
  return digest.hex().substr(0, 32);
}

std::string processor_facts(std::string_view cpuinfo) {
  constexpr std::array kChanging = {"cpu MHz", "bogomips", "BogoMIPS",       "processor",
                                    "core id", "apicid",   "initial apicid", "physical id"};
  std::string kept;
  cpuinfo = cpuinfo.substr(0, cpuinfo.find("\n\n"));
  while (!cpuinfo.empty()) {
    const std::size_t end = std::min(cpuinfo.find('\n'), cpuinfo.size());
    const std::string_view line = cpuinfo.substr(0, end);
    bool changing = false;
    for (const char* name : kChanging) changing = changing || line.starts_with(name);
    if (!changing) kept += std::string(line) + "\n";
    cpuinfo.remove_prefix(std::min(end + 1, cpuinfo.size()));
  }
  return kept;
}

std::uint64_t checksum(std::string_view bytes) {
  // FNV-1a over words in four lanes (one lane waits for each multiplication), folded at the end.
  constexpr std::uint64_t kPrime = 1099511628211U;
  std::array<std::uint64_t, 4> lanes = {14695981039346656037U, 1, 2, 3};
  constexpr std::size_t kStep = sizeof lanes;
  const std::uint64_t size = bytes.size();
  while (bytes.size() >= kStep) {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), bytes.data(), kStep);
    for (std::size_t i = 0; i < 4; ++i) {
      lanes[i] = (lanes[i] ^ words[i]) * kPrime;
      // A multiplication moves bits only upwards; this brings them back down.
      lanes[i] ^= lanes[i] >> 29U;
    }
    bytes.remove_prefix(kStep);
  }
  std::uint64_t sum = size;
  for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * kPrime;
  for (const std::uint64_t lane : lanes) {
    sum = (sum ^ lane) * kPrime;
    sum ^= sum >> 29U;
  }
  return sum;
}

std::optional<fs::path> StateStore::find(const std::string& key) const {
  std::error_code error;
  for (const fs::path& entry : sys::entries_of(folder_, error)) {
    const std::string name = entry.filename();
    if (name.starts_with(key + "-") && name.ends_with(".state")) return entry;
  }
  return std::nullopt;
}

Result<sys::Fd> StateStore::open(const fs::path& file) const {
  sys::Fd fd = PYBOX_TRY(sys::open_path(file, O_RDONLY | O_NOFOLLOW));
  const Mapped mapped = PYBOX_TRY(Mapped::of(fd));
  if (!file.filename().string().ends_with(suffix_of(mapped.bytes()))) {
    return Error(ErrorKind::Evidence, "the saved state is damaged");
  }
  return fd;
}

Result<sys::Fd> StateStore::begin() const {
  PYBOX_TRY(sys::ensure_private_dir(folder_));
  std::error_code error;
  fs::remove(partial(), error);
  return sys::open_path(partial(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
}

Result<void> StateStore::commit(const sys::Fd& written, const std::string& key) const {
  const Mapped mapped = PYBOX_TRY(Mapped::of(written));
  // No fsync: what a crash of the host tears, the checksum finds, and the price is one boot.
  const fs::path file = folder_ / (key + suffix_of(mapped.bytes()));
  std::error_code error;
  fs::rename(partial(), file, error);
  if (error) return Error::from_errno(error.value(), "keeping the saved state");
  remove_others(file);
  return {};
}

void StateStore::remove_others(const std::optional<fs::path>& keep) const {
  std::error_code error;
  for (const fs::path& entry : sys::entries_of(folder_, error)) {
    std::error_code ignored;
    if (entry != keep) fs::remove(entry, ignored);
  }
}

}  // namespace pybox::vm
