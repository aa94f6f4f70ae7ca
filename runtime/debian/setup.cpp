#include "debian/setup.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <future>
#include <optional>
#include <system_error>

#include "base/text.hpp"
#include "debian/fetch.hpp"
#include "debian/kernel_build.hpp"
#include "debian/mirror_probe.hpp"
#include "debian/prepare.hpp"
#include "debian/sources.hpp"
#include "store/finish.hpp"
#include "store/kernel.hpp"
#include "store/record.hpp"
#include "store/registry.hpp"
#include "store/setup_lock.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::debian {
namespace {

namespace fs = std::filesystem;

// Measured for Python 3.13 on amd64: 69 MiB of packages and lists to download, 262 MiB on the disk
// at the most while building, 230 MiB afterwards. The room asked for leaves a margin for larger
// packages.
constexpr Bytes kDownload = 70_MiB;
constexpr Bytes kRoomToBuild = 400_MiB;
constexpr Bytes kKept = 230_MiB;

/// One set-up in progress.
struct Job {
  const sys::StateDirs& dirs;
  const SetUpRequest& request;
  Progress& progress;
  const sys::Tools& tools;
  const sys::Tools& aside;  ///< for work beside what progress tells of
  const store::Recipe& recipe;
  std::optional<store::ImageRecord> old_image;  ///< readable record of what is there, usable or not
  std::optional<store::KernelRecord> old_kernel;
  bool has_image = false;  ///< what is there is whole and of today's recipe
  bool has_kernel = false;

  fs::path image_folder() const { return dirs.images() / recipe.name; }
  fs::path kernel_folder() const { return dirs.vm() / "kernel"; }
  /// The kernel is of one suite; apt is shown one at a time.
  bool cares_for_kernel() const { return recipe.suite == store::kernel_recipe().suite; }
};

/// Looks at what is there: hashes it, so that a damaged file is found and replaced.
void inspect(Job& job) {
  job.progress.stage("checking what is there");
  if (const auto text = sys::read_file(job.image_folder() / "manifest.json", 4_MiB)) {
    if (auto record = store::image_record_from(*text)) job.old_image = std::move(record).value();
  }
  if (const auto text = sys::read_file(job.kernel_folder() / "manifest.json", 4_MiB)) {
    if (auto record = store::kernel_record_from(*text)) job.old_kernel = std::move(record).value();
  }
  std::error_code ignored;
  if (fs::exists(job.image_folder(), ignored)) {
    const Result<store::Image> image = store::find_image(job.dirs, "stdlib", job.recipe.python);
    const Result<void> whole =
        image ? store::verify_image(*image, job.progress) : Result<void>(image.error());
    job.has_image = whole.has_value();
    if (!whole) job.progress.note(whole.error().message() + "; rebuilding it");
  }
  if (!job.cares_for_kernel()) {
    job.has_kernel = true;
  } else if (fs::exists(job.kernel_folder(), ignored)) {
    const Result<store::GuestKernel> kernel = store::find_kernel(job.dirs);
    const Result<void> whole =
        kernel ? store::verify_kernel(job.dirs) : Result<void>(kernel.error());
    job.has_kernel = whole.has_value();
    if (!whole) job.progress.note(whole.error().message() + "; making it again");
  }
}

/// The apt lines of --mirror. Without network those of the cached lists do, if they are of that
/// mirror.
Result<std::vector<std::string>> lines_of_mirror(const Job& job, const FetchPlan& plan) {
  job.progress.stage("looking at the mirror");
  bool unreachable = false;
  const std::string url = PYBOX_TRY(check_mirror(job.request.mirror));
  const Result<std::vector<ArchiveSource>> found =
      probe_mirror(job.tools, url, job.recipe.suite, plan.work, unreachable);
  std::vector<std::string> lines;
  if (found) {
    for (const ArchiveSource& source : *found) lines.push_back(apt_line(source, plan.keyring));
    return lines;
  }
  if (unreachable) lines = lines_of_cached_lists(plan.cache, job.recipe.suite);
  if (!lines.empty() && lines.front() == apt_line({apt_uri(url), job.recipe.suite}, plan.keyring))
    return lines;
  return found.error();
}

Result<FetchPlan> plan_fetch(const Job& job, const fs::path& work) {
  FetchPlan plan;
  plan.cache = job.dirs.cache();
  plan.work = work;
  plan.keyring = PYBOX_TRY(debian_keyring());
  if (!job.has_image || job.request.update) plan.image = &job.recipe;
  if (job.cares_for_kernel() && (!job.has_kernel || job.request.update))
    plan.kernel = &store::kernel_recipe();
  if (!job.request.mirror.empty()) {
    plan.where = visible(job.request.mirror);
    return plan;
  }
  const std::vector<ArchiveSource> sources =
      pick_sources(sources_of_host(job.tools), job.recipe.suite);
  plan.where = sources.empty() ? "mmdebstrap's default mirror"
                               : "this host's mirror " + visible(sources.front().uri);
  for (const ArchiveSource& source : sources)
    plan.apt_lines.push_back(apt_line(source, plan.keyring));
  plan.host_takes_expired = !sources.empty() && host_takes_expired_lists(job.tools);
  return plan;
}

/// With --update: what is already made from exactly these packages is not wanted again.
void drop_unchanged(const Job& job, FetchPlan& plan, const Resolved& resolved) {
  if (plan.image != nullptr && job.has_image && job.old_image->packages == resolved.image) {
    job.progress.note("the image `" + job.recipe.name + "` is made from the newest packages");
    plan.image = nullptr;
  }
  if (plan.kernel != nullptr && job.has_kernel && job.old_kernel->package == *resolved.kernel) {
    job.progress.note("the guest kernel " + job.old_kernel->release + " is the newest");
    plan.kernel = nullptr;
  }
}

Result<store::ImageRecord> build_image(const Job& job, const Resolved& resolved,
                                       const fs::path& made) {
  PYBOX_TRY(prepare_tree(job.tools, made / "rootfs", job.recipe, resolved.image, job.progress));
  store::ImageRecord record;
  record.name = job.recipe.name;
  record.python = job.recipe.python;
  record.suites = resolved.suites;
  record.recipe = digest_of(job.recipe);
  record.packages = resolved.image;
  return store::finish_image(job.aside, made, std::move(record), job.progress);
}

using BuiltKernel = Result<store::KernelRecord>;

/// In a thread of its own. `rootfs` must stay where it is until the kernel is there.
std::future<BuiltKernel> start_kernel(const Job& job, const FetchPlan& plan,
                                      const Resolved& resolved, const fs::path& rootfs) {
  KernelSource source;
  source.deb = plan.cache / "archives" / resolved.kernel->file;
  source.package = *resolved.kernel;
  source.suites = resolved.suites;
  source.rootfs = rootfs;
  source.image = &job.recipe;
  return std::async(std::launch::async, [&job, &plan, source] {
    return build_kernel(job.aside, *plan.kernel, source, plan.work, plan.work / "kernel");
  });
}

/// What is wanted of image and kernel, side by side: the tools of neither keep all cores busy.
Result<void> build_wanted(const Job& job, const FetchPlan& plan, const Resolved& resolved) {
  const fs::path made = plan.work / "image";
  if (plan.image != nullptr) {
    PYBOX_TRY(sys::ensure_private_dir(made));
    // Moved before it becomes read-only: a folder that changes its parent must be writable.
    std::error_code code;
    fs::rename(plan.work / "tree", made / "rootfs", code);
    if (code) return Error::from_errno(code.value(), "moving the unpacked tree");
  }
  std::future<BuiltKernel> kernel;
  if (plan.kernel != nullptr)
    kernel = start_kernel(job, plan, resolved,
                          (plan.image != nullptr ? made : job.image_folder()) / "rootfs");
  std::optional<store::ImageRecord> image;
  if (plan.image != nullptr) image = PYBOX_TRY(build_image(job, resolved, made));
  std::optional<BuiltKernel> built;
  if (kernel.valid()) built = store::await(kernel, "preparing the guest kernel", job.progress);
  if (image) {
    PYBOX_TRY(store::put_in_place(made, job.image_folder()));
    if (job.old_image) job.progress.note(what_changed(*job.old_image, *image));
  }
  if (!built) return {};
  const store::KernelRecord record = PYBOX_TRY(*std::move(built));
  PYBOX_TRY(store::put_in_place(plan.work / "kernel", job.kernel_folder()));
  if (job.old_kernel && job.old_kernel->id != record.id) {
    job.progress.note("the guest kernel changed: " + job.old_kernel->package.version + " → " +
                      record.package.version);
  }
  return {};
}

/// The cache keeps what the base images and the kernel of now were made from, so that they can be
/// made anew without network.
Result<void> trim(const Job& job) {
  const std::string kernel =
      PYBOX_TRY(sys::read_file(job.kernel_folder() / "manifest.json", 4_MiB));
  std::vector<store::Package> keep;
  std::error_code ignored;
  for (const fs::path& entry : sys::entries_of(job.dirs.images(), ignored)) {
    const Result<std::string> text = sys::read_file(entry / "manifest.json", 4_MiB);
    if (!text) continue;
    const Result<store::ImageRecord> record = store::image_record_from(*text);
    if (record) keep.insert(keep.end(), record->packages.begin(), record->packages.end());
  }
  keep.push_back(PYBOX_TRY(store::kernel_record_from(kernel)).package);
  return trim_cache(job.dirs.cache(), keep);
}

Result<void> build_missing(Job& job, SetUpResult& result, bool& built) {
  PYBOX_TRY(sys::require_tools(
      {"mmdebstrap", "apt-get", "dpkg-deb", "mkfs.erofs", "tar", "sed", "sort"}));
  PYBOX_TRY(store::require_space(job.dirs.home, kRoomToBuild));
  const fs::path work = PYBOX_TRY(store::make_work_folder(job.dirs));
  FetchPlan plan = PYBOX_TRY(plan_fetch(job, work));
  const std::string question = "pybox setup downloads up to " + human_size(kDownload) + " from " +
                               plan.where + " and keeps about " + human_size(kKept) + " in " +
                               job.dirs.home.string() + ".";
  job.progress.stage("");
  if (job.request.confirm && !job.request.confirm(question)) {
    return Error(ErrorKind::Interrupted, "nothing was downloaded or changed");
  }
  if (!job.request.mirror.empty()) plan.apt_lines = PYBOX_TRY(lines_of_mirror(job, plan));
  const Resolved resolved = PYBOX_TRY(resolve(job.tools, plan, job.progress));
  if (resolved.offline)
    job.progress.note("no network: " + plan.where +
                      " cannot be reached; the package lists of the last set-up are used");
  if (!std::binary_search(resolved.suites.begin(), resolved.suites.end(),
                          job.recipe.suite + "-security")) {
    job.progress.note(plan.where + " has no security updates (" + job.recipe.suite +
                      "-security): the image and the kernel do without");
  }
  drop_unchanged(job, plan, resolved);
  if (plan.image == nullptr && plan.kernel == nullptr) return {};
  PYBOX_TRY(unpack(job.tools, plan, resolved, job.progress));
  PYBOX_TRY(build_wanted(job, plan, resolved));
  built = plan.image != nullptr;
  result.built_kernel = result.built_kernel || plan.kernel != nullptr;
  return trim(job);
}

Result<SetUpImage> set_up_base(const sys::StateDirs& dirs, const SetUpRequest& request,
                               const store::Recipe& recipe, int lock_fd, Progress& progress,
                               SetUpResult& result) {
  const sys::Tools tools(progress, lock_fd);
  NoProgress untold;
  const sys::Tools aside(untold, lock_fd);
  Job job{dirs, request, progress, tools, aside, recipe, {}, {}};
  inspect(job);
  bool built = false;
  if (!job.has_image || !job.has_kernel || request.update) {
    const Result<void> done = build_missing(job, result, built);
    const Result<void> swept = store::sweep_setup(dirs);
    if (!done) return store::explain_full_disk(done.error());
    PYBOX_TRY(swept);
  }
  const store::Image image = PYBOX_TRY(store::find_image(dirs, "stdlib", recipe.python));
  return SetUpImage{image.name, image.id, image.python, built};
}

}  // namespace

Result<void> check_request(const SetUpRequest& request) {
  if (!request.mirror.empty()) PYBOX_TRY(check_mirror(request.mirror));
  for (const std::string& python : request.pythons) {
    if (store::base_recipe(python) != nullptr) continue;
    return Error(ErrorKind::Refused, "this PyBox builds images for Python " +
                                         store::known_pythons() + ", not for `" +
                                         visible(python.substr(0, 32)) + "`")
        .hint("leave --python out, or name versions from that list, with commas between them");
  }
  return {};
}

Result<SetUpResult> set_up(const sys::StateDirs& dirs, const SetUpRequest& request,
                           Progress& progress) {
  PYBOX_TRY(check_request(request));
  const sys::Fd lock = PYBOX_TRY(store::lock_setup(dirs, progress));
  PYBOX_TRY(store::sweep_setup(dirs));
  SetUpResult result;
  // The VM needs the first; the others in the order of the list, each once.
  std::vector<std::string> wanted = {"3.13"};
  for (const std::string& python : request.pythons) {
    if (std::find(wanted.begin(), wanted.end(), python) == wanted.end()) wanted.push_back(python);
  }
  for (const std::string& python : wanted) {
    result.images.push_back(PYBOX_TRY(
        set_up_base(dirs, request, *store::base_recipe(python), lock.get(), progress, result)));
  }
  result.kernel_release = PYBOX_TRY(store::find_kernel(dirs)).release;
  return result;
}

}  // namespace pybox::debian
