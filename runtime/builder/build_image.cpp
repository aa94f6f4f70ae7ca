#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "builder/builder.hpp"
#include "builder/job.hpp"
#include "builder/pack.hpp"
#include "builder/pip_step.hpp"
#include "debian/prepare.hpp"
#include "store/finish.hpp"
#include "store/own_images.hpp"
#include "store/package_recipe.hpp"
#include "store/record.hpp"
#include "store/setup_lock.hpp"
#include "store/tree.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::builder {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kRoomToBuild = 700_MiB;
constexpr std::size_t kMostReport = 32U << 20U;
constexpr std::string_view kTree = "out/tree/";

struct Build {
  const BuilderSetting& setting;
  const BuildRequest& request;
  const sys::Tools& tools;
  const sys::Tools& aside;  ///< for work beside what progress tells of
  Progress& progress;
  const store::Recipe& base_recipe;
  store::Image base;
  fs::path work;

  std::string folder() const { return store::folder_of_image(request.name, request.python); }
};

BuilderJob pip_job(const Build& build) {
  const std::string python = "/usr/bin/python" + build.request.python;
  BuilderJob job;
  job.python = build.request.python;
  job.files["requirements.txt"] = pypi::to_requirements(build.request.lock);
  BuilderStep pip = pip_step(build.request.python, "requirements.txt", "/tmp/out/tree");
  pip.stage = "installing packages";
  pip.argv.push_back("--report=/tmp/out/report.json");
  pip.counted = "Collecting ";
  pip.total = build.request.lock.pins.size();
  BuilderStep compile;
  compile.stage = "compiling packages";
  compile.argv = {python,
                  "-S",
                  "-P",
                  "-B",
                  "/tmp/in/builder.py",
                  "--compile",
                  "/tmp/out/tree",
                  "/" + std::string(store::kPackageFolder) + "/"};
  compile.environment = {{"PYTHONHASHSEED", "0"}};
  job.steps = {std::move(pip)};
  const store::PackageExtras& extras = store::extras_of(build.request.name);
  if (!extras.edits.empty() || !extras.files.empty()) {
    job.files["extras.json"] = extras_json(extras);
    BuilderStep edit;
    edit.stage = "fitting packages";
    edit.argv = {
        python,         "-I", "-S", "-B", "/tmp/in/builder.py", "--edit", "/tmp/in/extras.json",
        "/tmp/out/tree"};
    job.steps.push_back(std::move(edit));
  }
  job.steps.push_back(std::move(compile));
  return job;
}

Error failure_of(const Build& build, const BuilderResult& result) {
  if (result.step != 0) {
    return Error(ErrorKind::HostCannot, "the builder failed while " +
                                            pip_job(build).steps[result.step].stage + ":\n" +
                                            visible(result.said, Lines::Keep));
  }
  return pip_failure(result, build.request.python);
}

/// What pip says it installed must be what the lock names, file by file.
Result<std::vector<store::Wheel>> wheels_of(const Build& build, const fs::path& pack) {
  const std::string report = PYBOX_TRY(file_in_pack(pack, "out/report.json", kMostReport));
  const std::map<std::string, std::string> digests = PYBOX_TRY(digests_in_report(report));
  std::vector<store::Wheel> wheels;
  for (const pypi::Pin& pin : build.request.lock.pins) {
    const auto found = digests.find(pin.name);
    const bool pinned = found != digests.end() && std::find(pin.sha256.begin(), pin.sha256.end(),
                                                            found->second) != pin.sha256.end();
    if (!pinned)
      return Error(ErrorKind::Evidence,
                   "the builder did not install what the lock pins for `" + pin.name + "`");
    wheels.push_back({pin.name, pin.version, found->second});
  }
  if (digests.size() == wheels.size()) return wheels;
  return Error(ErrorKind::Evidence, "the builder installed more than the lock pins");
}

/// The base image's tree again, its files shared by hard links: they are read-only in both.
Result<void> link_base(const fs::path& base, const fs::path& root) {
  std::error_code code;
  PYBOX_TRY(sys::ensure_private_dir(root));
  for (auto entry = fs::recursive_directory_iterator(base, code);
       !code && entry != fs::recursive_directory_iterator(); entry.increment(code)) {
    const fs::path to = root / entry->path().lexically_relative(base);
    std::error_code problem;
    if (entry->is_symlink()) {
      fs::copy_symlink(entry->path(), to, problem);
    } else if (entry->is_directory()) {
      if (::mkdir(to.c_str(), 0755) != 0) problem.assign(errno, std::generic_category());
    } else if (::link(entry->path().c_str(), to.c_str()) != 0) {
      fs::copy_file(entry->path(), to, problem);
    }
    if (problem) return Error::from_errno(problem.value(), "creating " + to.string());
  }
  if (code) return Error::from_errno(code.value(), "reading the base image");
  return {};
}

/// Every entry of `from` moves into `to`; a name that is taken is an Error.
Result<void> move_into(const fs::path& from, const fs::path& to) {
  std::error_code code;
  for (const fs::path& entry : sys::entries_of(from, code)) {
    const fs::path target = to / entry.filename();
    if (::renameat2(AT_FDCWD, entry.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) != 0) {
      return Error::from_errno(errno, "placing " + visible(target.string()));
    }
  }
  if (code) return Error::from_errno(code.value(), "reading what the builder made");
  return {};
}

Result<void> make_tree(const Build& build, const fs::path& pack, const fs::path& root) {
  const fs::path unpacked = build.work / "packages";
  PYBOX_TRY(sys::ensure_private_dir(unpacked));
  build.progress.stage("checking what the builder made");
  PYBOX_TRY(unpack_below(pack, kTree, unpacked, build.progress));
  PYBOX_TRY(link_base(build.base.rootfs, root));
  const fs::path programs = unpacked / "bin";
  std::error_code code;
  if (fs::is_directory(fs::symlink_status(programs, code))) {
    PYBOX_TRY(move_into(programs, root / store::kProgramFolder));
    PYBOX_TRY(sys::remove_tree(programs));
  }
  PYBOX_TRY(move_into(unpacked, root / store::kPackageFolder));
  return store::settle_tree(root);
}

Result<void> finish(const Build& build, std::vector<store::Wheel> wheels, const fs::path& made) {
  store::ImageRecord record;
  record.name = build.folder();
  record.python = build.request.python;
  record.recipe = store::digest_of_packages(build.base_recipe, build.request.lock.digest,
                                            store::extras_of(build.request.name));
  record.base = build.base.id;
  record.lock = build.request.lock.digest;
  record.wheels = std::move(wheels);
  PYBOX_TRY(sys::replace_file(made / "lock.txt", build.request.lock.text, 0444));
  PYBOX_TRY(store::finish_image(build.aside, made, std::move(record), build.progress));
  return store::put_in_place(made, build.setting.dirs.images() / build.folder());
}

Result<void> build_in_work(const Build& build) {
  const fs::path job_folder = build.work / "builder";
  PYBOX_TRY(sys::ensure_private_dir(job_folder));
  const BuilderResult result = PYBOX_TRY(
      run_in_builder(build.setting, pip_job(build), build.tools, job_folder, build.progress));
  if (result.exit_code != 0) return failure_of(build, result);
  std::vector<store::Wheel> wheels = PYBOX_TRY(wheels_of(build, result.pack));
  const fs::path made = build.work / "image";
  PYBOX_TRY(sys::ensure_private_dir(made));
  PYBOX_TRY(make_tree(build, result.pack, made / "rootfs"));
  PYBOX_TRY(sys::remove_tree(job_folder));
  return finish(build, std::move(wheels), made);
}

Result<void> check_name(const BuildRequest& request) {
  if (request.name == store::kDataImage || request.name == store::cache_image_name(request.lock))
    return {};
  return store::own_image_name(request.name);
}

/// The image that is there, when it is of this very lock and its base is the one of now.
std::optional<store::Image> already_there(const Build& build) {
  Result<store::Image> image =
      store::find_image(build.setting.dirs, build.request.name, build.request.python);
  if (!image) return std::nullopt;
  const auto text = sys::read_file(image->rootfs.parent_path() / "manifest.json", 4_MiB);
  const auto record =
      text ? store::image_record_from(*text) : Result<store::ImageRecord>(text.error());
  if (!record || record->lock != build.request.lock.digest || record->base != build.base.id)
    return std::nullopt;
  return store::verify_image(*image, build.progress) ? std::optional(std::move(image).value())
                                                     : std::nullopt;
}

}  // namespace

Result<BuildResult> build_image(const BuilderSetting& setting, const BuildRequest& request,
                                Progress& progress) {
  const Nanos began = monotonic_now();
  PYBOX_TRY(check_name(request));
  const store::Recipe* recipe = store::base_recipe(request.python);
  if (recipe == nullptr)
    return Error(ErrorKind::Refused, "this PyBox does not build images for Python `" +
                                         visible(request.python.substr(0, 16)) + "`");
  const sys::Fd lock = PYBOX_TRY(store::lock_setup(setting.dirs, progress));
  PYBOX_TRY(store::sweep_setup(setting.dirs));
  PYBOX_TRY(sys::require_tools({"mkfs.erofs"}));
  const sys::Tools tools(progress, lock.get());
  NoProgress untold;
  const sys::Tools aside(untold, lock.get());
  Build build{setting, request, tools, aside, progress, *recipe, {}, {}};
  build.base = PYBOX_TRY(store::find_image(setting.dirs, "stdlib", request.python));
  if (auto image = already_there(build))
    return BuildResult{std::move(*image), false, monotonic_now() - began};
  PYBOX_TRY(store::require_space(setting.dirs.home, kRoomToBuild));
  build.work = PYBOX_TRY(store::make_work_folder(setting.dirs));
  const Result<void> built = build_in_work(build);
  const Result<void> swept = store::sweep_setup(setting.dirs);
  if (!built) return store::explain_full_disk(built.error());
  PYBOX_TRY(swept);
  store::mark_used(setting.dirs, build.folder());
  PYBOX_TRY(store::prune_locked(setting.dirs, store::kCacheLimit));
  BuildResult result;
  result.image = PYBOX_TRY(store::find_image(setting.dirs, request.name, request.python));
  result.built = true;
  result.elapsed = monotonic_now() - began;
  return result;
}

}  // namespace pybox::builder
