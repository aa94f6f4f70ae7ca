#include "debian/prepare.hpp"

#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>

#include "store/architecture.hpp"
#include "store/tree.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox::debian {
namespace {

namespace fs = std::filesystem;

constexpr Nanos kToolPatience = std::chrono::minutes(10);

/// Entries of a folder in byte order; an absent folder has none.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::path& entry : sys::entries_of(folder, ignored))
    names.push_back(entry.filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> drop_pattern(const fs::path& root, const std::string& pattern) {
  const fs::path last = fs::path(pattern).filename();
  const fs::path path = PYBOX_TRY(path_inside(root, pattern));
  if (pattern.find('*') == std::string::npos) return sys::remove_tree(path);
  for (const std::string& name : names_in(path.parent_path())) {
    if (::fnmatch(last.c_str(), name.c_str(), 0) == 0)
      PYBOX_TRY(sys::remove_tree(path.parent_path() / name));
  }
  return {};
}

Result<void> make_folder(const fs::path& root, const std::string& relative) {
  const fs::path path = PYBOX_TRY(path_inside(root, relative));
  const fs::path parent = fs::path(relative).parent_path();
  std::error_code code;
  if (!parent.empty() && !fs::exists(root / parent, code))
    PYBOX_TRY(make_folder(root, parent.string()));
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) {
    return Error::from_errno(errno, "creating " + path.string());
  }
  return {};
}

/// The place of something to be written, its folder made.
Result<fs::path> place_for(const fs::path& root, const std::string& relative) {
  const std::string parent = fs::path(relative).parent_path().string();
  if (!parent.empty()) PYBOX_TRY(make_folder(root, parent));
  return path_inside(root, relative);
}

Result<void> write_file(const fs::path& root, const std::string& relative, std::string_view text) {
  const fs::path path = PYBOX_TRY(place_for(root, relative));
  return sys::replace_file(path, text, 0644);
}

Result<void> write_link(const fs::path& root, const std::string& relative,
                        const std::string& target) {
  const fs::path path = PYBOX_TRY(place_for(root, relative));
  PYBOX_TRY(sys::remove_tree(path));
  std::error_code code;
  fs::create_symlink(target, path, code);
  if (code) return Error::from_errno(code.value(), "creating the link " + path.string());
  return {};
}

/// What update-ca-certificates makes: every certificate of the package in one file, in byte order.
Result<std::string> certificate_bundle(const fs::path& root) {
  std::string bundle;
  const fs::path folder = PYBOX_TRY(path_inside(root, "usr/share/ca-certificates/mozilla"));
  for (const std::string& name : names_in(folder)) {
    if (!name.ends_with(".crt")) continue;
    bundle += PYBOX_TRY(sys::read_file(folder / name, 1_MiB));
    if (!bundle.ends_with('\n')) bundle += '\n';
  }
  if (bundle.empty())
    return Error(ErrorKind::Evidence, "the package ca-certificates brought no certificate");
  return bundle;
}

std::uint64_t count_sources(const fs::path& library) {
  std::uint64_t count = 0;
  std::error_code code;
  for (auto entry = fs::recursive_directory_iterator(library, code);
       !code && entry != fs::recursive_directory_iterator(); entry.increment(code)) {
    if (entry->path().extension() == ".py") ++count;
  }
  return count;
}

/// What dpkg would have recorded, as far as it names the packages.
std::string dpkg_status(const std::vector<store::Package>& packages) {
  std::string text;
  for (const store::Package& package : packages) {
    text += "Package: " + package.name +
            "\nStatus: install ok unpacked\nArchitecture: " + package.architecture +
            "\nVersion: " + package.version + "\n\n";
  }
  return text;
}

}  // namespace

Result<fs::path> path_inside(const fs::path& root, std::string_view relative) {
  fs::path path = root;
  const fs::path wanted(relative);
  for (auto part = wanted.begin(); part != wanted.end(); ++part) {
    if (*part == ".." || *part == "/")
      return Error(ErrorKind::Internal, "a recipe names " + std::string(relative));
    path /= *part;
    std::error_code ignored;
    if (std::next(part) != wanted.end() && fs::is_symlink(path, ignored)) {
      return Error(ErrorKind::Evidence,
                   path.string() + " is a link where the recipe expects a folder");
    }
  }
  return path;
}

Result<void> prune(const fs::path& root, const store::Recipe& recipe) {
  for (const std::string& pattern : recipe.drop) PYBOX_TRY(drop_pattern(root, pattern));
  for (const auto& [folder, kept] : recipe.keep_only) {
    const std::set<std::string> keep(kept.begin(), kept.end());
    const fs::path path = PYBOX_TRY(path_inside(root, folder + "/*")).parent_path();
    for (const std::string& name : names_in(path)) {
      if (!keep.contains(name)) PYBOX_TRY(sys::remove_tree(path / name));
    }
  }
  return {};
}

Result<void> furnish(const fs::path& root, const store::Recipe& recipe,
                     const std::vector<store::Package>& packages) {
  for (const std::string& folder : recipe.folders) PYBOX_TRY(make_folder(root, folder));
  for (const auto& [path, text] : recipe.files) PYBOX_TRY(write_file(root, path, text));
  for (const auto& [path, target] : recipe.links) PYBOX_TRY(write_link(root, path, target));
  return write_file(root, "var/lib/dpkg/status", dpkg_status(packages));
}

sys::SpawnPlan program_of_tree(const fs::path& root, std::string_view program,
                               std::vector<std::string> args) {
  sys::SpawnPlan plan;
  plan.program = root / store::kLoader;
  plan.args = {"--library-path", (root / store::kLibraryFolder).string(),
               (root / program).string()};
  plan.args.insert(plan.args.end(), std::make_move_iterator(args.begin()),
                   std::make_move_iterator(args.end()));
  plan.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "LC_ALL=C.UTF-8"};
  return plan;
}

sys::SpawnPlan python_of_tree(const fs::path& root, const store::Recipe& recipe,
                              std::vector<std::string> args) {
  args.insert(args.begin(),
              {"-S", "-P"});  // neither the host's site folders nor the working folder
  sys::SpawnPlan plan = program_of_tree(root, "usr/bin/python" + recipe.python, std::move(args));
  plan.environment.insert(
      plan.environment.end(),
      {"PYTHONHOME=" + (root / "usr").string(), "PYTHONHASHSEED=0", "PYTHONNOUSERSITE=1",
       "PYTHONDONTWRITEBYTECODE=1", "SOURCE_DATE_EPOCH=" + std::to_string(store::kFileTime)});
  return plan;
}

Result<void> compile(const sys::Tools& tools, const fs::path& root, const store::Recipe& recipe,
                     Progress& progress) {
  progress.stage("compiling the standard library");
  // -X: no links made; the cache of the tree's libraries only.
  PYBOX_TRY(tools.run_well(program_of_tree(root, "usr/sbin/ldconfig", {"-X", "-r", root.string()}),
                           kToolPatience));
  PYBOX_TRY(sys::remove_tree(root / "var" / "cache"));
  // unchecked-hash: Python never looks at the source's time, which a read-only tree makes
  // pointless. One process, so that no scheduling decides the order in which strings are interned.
  const fs::path library = root / "usr/lib" / ("python" + recipe.python);
  const std::uint64_t sources = count_sources(library);
  std::uint64_t compiled = 0;
  sys::ToolWatch watch;
  watch.line = [&](std::string_view line) {
    if (line.starts_with("Compiling "))
      progress.advance(++compiled, sources, Progress::Unit::Count);
  };
  PYBOX_TRY(tools.run_well(
      python_of_tree(root, recipe,
                     {"-u", "-m", "compileall", "--invalidation-mode", "unchecked-hash", "-s",
                      root.string(), "-p", "/", library.string()}),
      kToolPatience, watch));
  return {};
}

Result<void> prepare_tree(const sys::Tools& tools, const fs::path& root,
                          const store::Recipe& recipe, const std::vector<store::Package>& packages,
                          Progress& progress) {
  progress.stage("preparing the tree");
  const std::string certificates = PYBOX_TRY(certificate_bundle(root));
  PYBOX_TRY(prune(root, recipe));
  PYBOX_TRY(furnish(root, recipe, packages));
  PYBOX_TRY(write_file(root, "etc/ssl/certs/ca-certificates.crt", certificates));
  PYBOX_TRY(compile(tools, root, recipe, progress));
  return store::settle_tree(root);
}

}  // namespace pybox::debian
