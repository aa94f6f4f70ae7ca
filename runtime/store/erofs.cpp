#include "store/erofs.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.hpp"
#include "store/recipe.hpp"
#include "sys/file.hpp"
#include "sys/file_digest.hpp"

namespace pybox::store {
namespace {

constexpr Nanos kPatience = std::chrono::minutes(10);

/// "mkfs.erofs 1.5": the first line of what every release prints; only some know --version.
std::string version_in(std::string_view out) {
  return visible(out.substr(0, out.find('\n')).substr(0, 100));
}

}  // namespace

Result<ErofsFile> make_erofs(const sys::Tools& tools, const std::filesystem::path& root,
                             const std::filesystem::path& file) {
  sys::SpawnPlan plan;
  plan.program = "mkfs.erofs";
  // -x-1: the host's extended attributes (SELinux labels) stay out.
  plan.args = {"-x-1",
               "-T" + std::to_string(kFileTime),
               "-U" + std::string(kErofsUuid),
               "--all-root",
               file.string(),
               root.string()};
  plan.environment = sys::tool_environment();
  const sys::ToolResult result = PYBOX_TRY(tools.run_well(std::move(plan), kPatience));
  ErofsFile made;
  made.maker = version_in(result.out);
  const sys::Fd fd = PYBOX_TRY(sys::open_path(file, O_RDONLY | O_NOFOLLOW));
  made.sha256 =
      PYBOX_TRY(sys::digest_of_open(fd, file.string(), [&](std::uint64_t n) { made.bytes += n; }));
  if (::fchmod(fd.get(), 0444) != 0 || ::fsync(fd.get()) != 0) {
    return Error::from_errno(errno, "finishing " + file.string());
  }
  return made;
}

}  // namespace pybox::store
