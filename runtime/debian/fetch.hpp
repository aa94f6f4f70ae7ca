#pragma once
/// Theory of operation: mmdebstrap makes a package manager's view of Debian in a folder, and apt in
/// it verifies the archive's signature with Debian's keyring and nothing else. It runs twice, each
/// time as one process tree on a leash (tools.hpp):
///   1. resolve():  fetch the package lists, ask apt which packages it would take and their signed
///   digests
///   2. unpack():   download what the cache lacks and unpack it into a tree; no maintainer script
///   runs
/// Lists and packages live in $PYBOX_HOME/cache (a link in the tree leads there), so an interrupted
/// download goes on where it was, and a full cache needs no network.
///
/// The mode is chrootless for everybody: with --variant=extract nothing of the tree is ever run by
/// mmdebstrap, so it needs neither chroot, mounts, user namespaces nor subordinate ids, and root
/// and an ordinary user get the same tree.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "debian/packages.hpp"
#include "store/recipe.hpp"
#include "sys/tools.hpp"

namespace pybox::debian {

struct FetchPlan {
  std::filesystem::path cache;  ///< archives/ and lists/ (of another suite lists-SUITE/) below it
  std::filesystem::path work;   ///< an empty folder of this set-up; trees are made below it
  std::filesystem::path keyring;
  std::vector<std::string> apt_lines;  ///< empty: mmdebstrap's default
  std::string where;                   ///< names the mirror in messages
  /// Lists whose time is over may be old ones played back. Only where the mirror is the host's own
  /// and the host's apt is told to take such lists, they are taken here too, and that is said.
  bool host_takes_expired = false;
  bool take_expired = false;                    ///< set by resolve()
  const store::Recipe* image = nullptr;         ///< nullptr: no image wanted
  const store::KernelRecipe* kernel = nullptr;  ///< nullptr: no kernel wanted
};

struct Resolved {
  std::vector<store::Package> image;
  std::optional<store::Package> kernel;
  std::vector<std::string> suites;  ///< the suites the lists came from, sorted
  bool offline = false;             ///< there was no network; the cached lists were used
};

/// The arguments of mmdebstrap for one of the two steps; pure.
enum class FetchStep { Resolve, Unpack };
sys::SpawnPlan mmdebstrap_plan(const FetchPlan& plan, FetchStep step);

/// Step 1. Without network it falls back to cached lists of the same sources, and says so in
/// `Resolved::offline`; a mirror that answers wrongly or is not signed is an Error in any case.
Result<Resolved> resolve(const sys::Tools& tools, FetchPlan& plan, Progress& progress);

/// Step 2: the image's tree in plan.work/tree (when an image is wanted), the kernel's package in
/// cache/archives (when wanted), everything verified against the signed digests before it is
/// returned.
Result<void> unpack(const sys::Tools& tools, const FetchPlan& plan, const Resolved& resolved,
                    Progress& progress);

/// The apt lines of the last set-up whose package lists are in the cache; empty when there are
/// none.
std::vector<std::string> lines_of_cached_lists(const std::filesystem::path& cache,
                                               std::string_view suite);

/// Removes from the cache every package file that is in none of `keep`.
Result<void> trim_cache(const std::filesystem::path& cache,
                        const std::vector<store::Package>& keep);

}  // namespace pybox::debian
