#include "image/erofs.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.hpp"
#include "image/file_digest.hpp"
#include "image/recipe.hpp"
#include "sys/file.hpp"

namespace pybox::image {
namespace {

constexpr Nanos kPatience = std::chrono::minutes(10);

sys::SpawnPlan mkfs(std::vector<std::string> args) {
  sys::SpawnPlan plan;
  plan.program = "mkfs.erofs";
  plan.args = std::move(args);
  plan.environment = sys::tool_environment();
  return plan;
}

/// "mkfs.erofs 1.5": releases differ in where they print it and in what follows.
std::string version_in(const sys::ToolResult& result) {
  const std::string_view text = result.out.empty() ? result.err : result.out;
  return visible(text.substr(0, text.find('\n')).substr(0, 100));
}

}  // namespace

Result<ErofsFile> make_erofs(const Tools& tools, const std::filesystem::path& root, const std::filesystem::path& file) {
  ErofsFile made;
  made.maker = version_in(PYBOX_TRY(tools.run_well(mkfs({"--version"}), kPatience)));
  // -x-1: the host's extended attributes (SELinux labels) stay out.
  PYBOX_TRY(tools.run_well(mkfs({"-x-1", "-T" + std::to_string(kFileTime), "-U" + std::string(kErofsUuid), "--all-root",
                                 "--quiet", file.string(), root.string()}),
                           kPatience));
  const sys::Fd fd = PYBOX_TRY(sys::open_path(file, O_RDONLY | O_NOFOLLOW));
  made.sha256 = PYBOX_TRY(digest_of_open(fd, file.string(), [&](std::uint64_t n) { made.bytes += n; }));
  if (::fchmod(fd.get(), 0444) != 0 || ::fsync(fd.get()) != 0) {
    return Error::from_errno(errno, "finishing " + file.string());
  }
  return made;
}

}  // namespace pybox::image
