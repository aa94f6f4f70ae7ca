#include "debian/fetch.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <system_error>

#include "base/join.hpp"
#include "debian/archive_trouble.hpp"
#include "debian/sources.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::debian {
namespace {

constexpr Nanos kResolvePatience = std::chrono::minutes(10);
constexpr Nanos kUnpackPatience = std::chrono::minutes(60);

// mmdebstrap runs hooks with `sh -c HOOK exec ROOT`. apt's archive and list folders become links
// into the cache before apt looks at them.
constexpr std::string_view kUseCache =
    "set -eu; root=$1; export APT_CONFIG=\"$MMDEBSTRAP_APT_CONFIG\"; cache=$PYBOX_CACHE\n"
    "rm -rf \"$root/var/lib/apt/lists\" \"$root/var/cache/apt/archives\"\n"
    "ln -s \"$PYBOX_LISTS\" \"$root/var/lib/apt/lists\"\n"
    "ln -s \"$cache/archives\" \"$root/var/cache/apt/archives\"\n";

// --print-uris leaves out what the archive folder already holds, hence an empty one. The kernel's
// meta package depends on the kernel; only that one package is wanted, not the tools it depends on.
constexpr std::string_view kResolve =
    "uris() { apt-get -qq --print-uris -o Acquire::ForceHash=SHA256 -o "
    "Dir::Cache::Archives=\"$PYBOX_OUT/none/\" \"$@\"; }\n"
    "mkdir -p \"$PYBOX_OUT/none/partial\"\n"
    "[ \"$PYBOX_UPDATE\" = no ] || apt-get update --error-on=any\n"
    "apt-get indextargets --format '$(RELEASE)' 'Created-By: Packages' | sort -u "
    ">\"$PYBOX_OUT/suites\"\n"
    "if [ -n \"$PYBOX_PACKAGES\" ]; then uris install $PYBOX_PACKAGES >\"$PYBOX_OUT/image.uris\"; "
    "fi\n"
    "if [ -n \"$PYBOX_KERNEL\" ]; then\n"
    "  kernel=$(apt-cache show --no-all-versions \"$PYBOX_KERNEL\" | sed -n 's/^Depends: "
    "\\(linux-image-[^ ,]*\\).*/\\1/p')\n"
    "  [ -n \"$kernel\" ] || { echo \"E: Unable to locate package $PYBOX_KERNEL\" >&2; exit 1; }\n"
    "  uris download \"$kernel\" >\"$PYBOX_OUT/kernel.uris\"\n"
    "fi\n";

constexpr std::string_view kDownloadKernel =
    "if [ -n \"$PYBOX_KERNEL\" ]; then cd \"$cache/archives\"; apt-get -q download "
    "\"$PYBOX_KERNEL\"; fi\n";

std::filesystem::path out_folder(const FetchPlan& plan) { return plan.work / "resolved"; }
std::filesystem::path archives_of(const FetchPlan& plan) { return plan.cache / "archives"; }

std::string suite_of(const FetchPlan& plan) {
  return plan.image != nullptr ? plan.image->suite : plan.kernel->suite;
}

/// apt removes lists that are not of the sources it is given, so each suite has its own.
std::filesystem::path lists_of(const std::filesystem::path& cache, std::string_view suite) {
  return cache / (suite == store::kernel_recipe().suite ? "lists" : "lists-" + std::string(suite));
}

/// Names the sources that the cached lists came from, one apt line a line.
std::filesystem::path lists_mark(const std::filesystem::path& cache, std::string_view suite) {
  return lists_of(cache, suite).string() + ".complete";
}

bool has_lists(const FetchPlan& plan) {
  const Result<std::string> mark = sys::read_file(lists_mark(plan.cache, suite_of(plan)), 64_KiB);
  return mark && *mark == join(plan.apt_lines, "\n");
}

Result<void> make_folders(const FetchPlan& plan) {
  for (const auto& folder :
       {archives_of(plan) / "partial", lists_of(plan.cache, suite_of(plan)) / "partial",
        out_folder(plan), plan.work / "no-keys"}) {
    PYBOX_TRY(sys::ensure_private_dir(folder));
  }
  return {};
}

Result<sys::ToolResult> run_resolve(const sys::Tools& tools, const FetchPlan& plan, bool update,
                                    Progress& progress) {
  PYBOX_TRY(sys::remove_tree(plan.work / "view"));
  sys::SpawnPlan spawn = mmdebstrap_plan(plan, FetchStep::Resolve);
  spawn.environment.push_back(std::string("PYBOX_UPDATE=") + (update ? "yes" : "no"));
  if (update) progress.stage("reading package lists");
  return tools.run(std::move(spawn), kResolvePatience, {});
}

Result<std::vector<store::Package>> read_packages(const std::filesystem::path& file) {
  const std::string text = PYBOX_TRY(sys::read_file(file, 4_MiB));
  return packages_in_uris(text);
}

Result<Resolved> read_resolved(const FetchPlan& plan) {
  Resolved resolved;
  std::istringstream suites(PYBOX_TRY(sys::read_file(out_folder(plan) / "suites", 64_KiB)));
  for (std::string suite; std::getline(suites, suite);) resolved.suites.push_back(suite);
  if (plan.image != nullptr)
    resolved.image = PYBOX_TRY(read_packages(out_folder(plan) / "image.uris"));
  if (plan.kernel != nullptr) {
    const std::vector<store::Package> kernel =
        PYBOX_TRY(read_packages(out_folder(plan) / "kernel.uris"));
    if (kernel.size() != 1) {
      return Error(ErrorKind::Evidence,
                   "apt named " + std::to_string(kernel.size()) + " packages for one kernel");
    }
    resolved.kernel = kernel.front();
  }
  return resolved;
}

std::uint64_t size_of(const std::filesystem::path& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

std::vector<store::Package> all_of(const Resolved& resolved) {
  std::vector<store::Package> all = resolved.image;
  if (resolved.kernel) all.push_back(*resolved.kernel);
  return all;
}

/// Follows apt's download by the sizes of its files.
sys::ToolWatch follow_download(const FetchPlan& plan, const std::vector<store::Package>& wanted,
                               Progress& progress, bool& downloading) {
  std::uint64_t total = 0;
  for (const store::Package& package : wanted) total += package.bytes;
  sys::ToolWatch watch;
  watch.tick = [&plan, wanted, total, &progress, &downloading] {
    if (!downloading) return progress.tick();
    std::uint64_t done = 0;
    for (const store::Package& package : wanted) {
      const std::uint64_t whole = size_of(archives_of(plan) / package.file);
      done += whole != 0 ? whole : size_of(archives_of(plan) / "partial" / package.file);
    }
    progress.advance(done, total, Progress::Unit::Bytes);
  };
  watch.line = [&progress, &downloading](std::string_view line) {
    if (line != "I: extracting archives...") return;
    progress.stage("unpacking packages");
    downloading = false;
  };
  return watch;
}

}  // namespace

sys::SpawnPlan mmdebstrap_plan(const FetchPlan& plan, FetchStep step) {
  const bool unpacks = step == FetchStep::Unpack;
  const store::Recipe* image = plan.image;
  sys::SpawnPlan spawn;
  spawn.program = "mmdebstrap";
  spawn.args = {
      "--mode=chrootless",
      // With extract and no package there would be nothing to do but the hook, which custom says
      // plainly.
      std::string("--variant=") + (unpacks && image != nullptr ? "extract" : "custom"),
      "--format=directory",
      // apt's lists are fetched by our hook; the tree is cleaned by prepare.cpp. check/chrootless
      // is about maintainer scripts run as root, of which there are none here.
      "--skip=update,cleanup,check/chrootless,check/signed-by,check/qemu",
      "--keyring=" + plan.keyring.string(),
      "--keyring=" +
          (plan.work / "no-keys").string(),  // or the host's other keys would be trusted too
      "--aptopt=Acquire::Retries \"2\"",
      "--aptopt=Acquire::http::Timeout \"20\"",
      "--aptopt=Acquire::https::Timeout \"20\"",
      "--aptopt=Acquire::GzipIndexes \"true\"",
      "--aptopt=Acquire::Languages \"none\"",
      "--aptopt=APT::Get::AllowUnauthenticated \"false\"",
      "--setup-hook=" + std::string(kUseCache) + std::string(unpacks ? kDownloadKernel : kResolve),
  };
  if (plan.take_expired) spawn.args.push_back("--aptopt=Acquire::Check-Valid-Until \"false\"");
  if (unpacks && image != nullptr) spawn.args.push_back("--include=" + join(image->packages, ","));
  spawn.args.push_back(suite_of(plan));
  spawn.args.push_back((plan.work / (unpacks ? "tree" : "view")).string());
  spawn.args.insert(spawn.args.end(), plan.apt_lines.begin(), plan.apt_lines.end());
  spawn.environment = sys::tool_environment();
  spawn.environment.push_back("PYBOX_CACHE=" + plan.cache.string());
  spawn.environment.push_back("PYBOX_LISTS=" + lists_of(plan.cache, suite_of(plan)).string());
  if (!unpacks) {
    spawn.environment.push_back("PYBOX_OUT=" + out_folder(plan).string());
    spawn.environment.push_back("PYBOX_PACKAGES=" +
                                (image != nullptr ? join(image->packages) : ""));
    spawn.environment.push_back("PYBOX_KERNEL=" +
                                (plan.kernel != nullptr ? plan.kernel->package : ""));
  }
  return spawn;
}

Result<Resolved> resolve(const sys::Tools& tools, FetchPlan& plan, Progress& progress) {
  PYBOX_TRY(make_folders(plan));
  sys::ToolResult result = PYBOX_TRY(run_resolve(tools, plan, true, progress));
  if (!result.ok() && plan.host_takes_expired && trouble_in(result) == ArchiveTrouble::Clock) {
    progress.note("the package lists of " + plan.where + " (" + suite_of(plan) +
                  ") have expired; they are used because this host's apt is set to "
                  "take such lists (Acquire::Check-Valid-Until)");
    plan.take_expired = true;
    result = PYBOX_TRY(run_resolve(tools, plan, true, progress));
  }
  // apt replaces its lists all at once at the end of an update that succeeded, or not at all.
  const bool offline =
      !result.ok() && has_lists(plan) && trouble_in(result) == ArchiveTrouble::NoNetwork;
  if (offline) result = PYBOX_TRY(run_resolve(tools, plan, false, progress));
  if (!result.ok()) return archive_error(result, plan.where, suite_of(plan));
  if (!offline)
    PYBOX_TRY(
        sys::replace_file(lists_mark(plan.cache, suite_of(plan)), join(plan.apt_lines, "\n")));
  Resolved resolved = PYBOX_TRY(read_resolved(plan));
  resolved.offline = offline;
  PYBOX_TRY(sys::remove_tree(plan.work / "view"));
  return resolved;
}

Result<void> unpack(const sys::Tools& tools, const FetchPlan& plan, const Resolved& resolved,
                    Progress& progress) {
  const std::vector<store::Package> wanted = all_of(resolved);
  progress.stage("checking cached packages");
  const std::uint64_t missing = PYBOX_TRY(drop_damaged(archives_of(plan), wanted, progress));
  bool downloading = missing != 0;
  progress.stage(downloading ? "downloading packages" : "ordering packages");
  PYBOX_TRY(sys::remove_tree(plan.work / "tree"));
  sys::SpawnPlan spawn = mmdebstrap_plan(plan, FetchStep::Unpack);
  std::string kernel;
  if (resolved.kernel) kernel = resolved.kernel->name + "=" + resolved.kernel->version;
  spawn.environment.push_back("PYBOX_KERNEL=" + kernel);
  const sys::ToolWatch watch = follow_download(plan, wanted, progress, downloading);
  const sys::ToolResult result = PYBOX_TRY(tools.run(std::move(spawn), kUnpackPatience, watch));
  if (!result.ok()) return archive_error(result, plan.where, suite_of(plan));
  if (missing == 0) return {};
  progress.stage("checking downloaded packages");
  return verify_packages(archives_of(plan), wanted, progress);
}

std::vector<std::string> lines_of_cached_lists(const std::filesystem::path& cache,
                                               std::string_view suite) {
  std::vector<std::string> lines;
  const Result<std::string> mark = sys::read_file(lists_mark(cache, suite), 64_KiB);
  std::istringstream in(mark ? *mark : std::string());
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Result<void> trim_cache(const std::filesystem::path& cache,
                        const std::vector<store::Package>& keep) {
  std::set<std::string> names;
  for (const store::Package& package : keep) names.insert(package.file);
  std::vector<std::filesystem::path> unused;
  std::error_code ignored;
  for (const std::filesystem::path& entry : sys::entries_of(cache / "archives", ignored)) {
    const std::string name = entry.filename().string();
    if (name.ends_with(".deb") && !names.contains(name)) unused.push_back(entry);
  }
  for (const std::filesystem::path& path : unused) PYBOX_TRY(sys::remove_tree(path));
  return {};
}

}  // namespace pybox::debian
