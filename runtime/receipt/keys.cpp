#include "receipt/keys.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/digest.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"
#include "sys/new_file.hpp"

namespace pybox {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestKeyFile = 4096;

Error cannot(std::string what) { return {ErrorKind::HostCannot, std::move(what)}; }

/// The key file, checked before a byte of it is read: nobody else may be able to read what signs.
Result<sys::Fd> open_private(const fs::path& file) {
  sys::Fd fd = PYBOX_TRY(sys::open_path(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return Error::from_errno(errno, "inspecting " + file.string());
  if (!S_ISREG(info.st_mode)) return cannot(file.string() + " is not a regular file");
  if (info.st_uid != ::geteuid()) {
    return cannot("the key file " + file.string() + " belongs to another user")
        .hint("set PYBOX_HOME to a folder of your own");
  }
  if ((info.st_mode & 077U) != 0) {
    return cannot(fmt::format("other users can use the key file {} (mode {:04o})", file.string(),
                              info.st_mode & 07777U))
        .hint(
            fmt::format("remove it so that a new key is made, or `chmod 600 {}` if nobody used it",
                        file.string()));
  }
  return fd;
}

Result<SigningKey> load_key(const fs::path& file) {
  const sys::Fd fd = PYBOX_TRY(open_private(file));
  const std::string pem =
      PYBOX_TRY_CONTEXT(sys::read_to_end(fd.get(), kLargestKeyFile), file.string());
  auto seed = seed_from_pem(pem);
  if (!seed) {
    return std::move(seed)
        .error()
        .as(ErrorKind::HostCannot)
        .context(file.string())
        .hint("remove the file so that a new key is made");
  }
  return SigningKey(*seed);
}

/// Puts a new key in place unless somebody else was faster: of two at once, one key wins for both.
Result<void> make_key(const fs::path& file) {
  (void)PYBOX_TRY(sys::create_file(file, to_pem(SigningKey::generate())));
  return {};
}

/// The public half beside it, for whoever verifies; renewed when the private one is another now.
Result<void> keep_public_half(const fs::path& file, const SigningKey& key) {
  const std::string pem = to_pem(key.public_key());
  const auto kept = sys::read_file(file, Bytes{kLargestKeyFile});
  if (kept && *kept == pem) return {};
  return sys::replace_file(file, pem);
}

}  // namespace

fs::path private_key_file(const sys::StateDirs& dirs) { return dirs.keys() / "receipt.key"; }
fs::path public_key_file(const sys::StateDirs& dirs) { return dirs.keys() / "receipt.pub"; }

Result<SigningKey> load_or_make_key(const sys::StateDirs& dirs) {
  const fs::path file = private_key_file(dirs);
  auto key = load_key(file);
  if (!key && key.error().errno_code() == ENOENT) {
    PYBOX_TRY(sys::ensure_private_dir(dirs.keys()));
    PYBOX_TRY(make_key(file));
    key = load_key(file);
  }
  if (!key) return std::move(key).error().as(ErrorKind::HostCannot);
  PYBOX_TRY(keep_public_half(public_key_file(dirs), *key));
  return key;
}

Result<PublicKey> load_public_key(const fs::path& file) {
  const std::string pem = PYBOX_TRY(sys::read_file(file, Bytes{kLargestKeyFile}));
  auto key = public_key_from_pem(pem);
  if (!key) return std::move(key).error().context(file.string());
  return key;
}

}  // namespace pybox
