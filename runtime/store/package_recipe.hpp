#pragma once
/// What an image of Python packages is made of: the base image of a Python and a lock. `data` has
/// its lock in PyBox itself (runtime/store/data.lock), an own image keeps its lock beside its
/// record.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "pypi/lock.hpp"
#include "store/recipe.hpp"

namespace pybox::store {

/// Where packages stand in an image, and the programs they bring.
constexpr std::string_view kPackageFolder = "usr/lib/python3/dist-packages";
constexpr std::string_view kProgramFolder = "usr/local/bin";

/// Changes one file of a package: `before` must stand in it exactly once.
struct PackageEdit {
  std::string path;  ///< below kPackageFolder
  std::string before;
  std::string after;
};

/// What PyBox adds to its own package image; nothing for any other.
struct PackageExtras {
  std::vector<PackageEdit> edits;
  std::vector<std::pair<std::string, std::string>> files;  ///< below kPackageFolder, and content
};

constexpr std::string_view kDataImage = "data";
/// runtime/store/uv.lock: the uv that resolves in builders.
std::string_view uv_lock_text();
/// matplotlib's list of the fonts it brings, as it writes it itself.
std::string_view data_font_list();
/// The text of data.lock, and what `data` gets besides: matplotlib draws without a display and
/// finds its fonts listed.
std::string_view data_lock_text();
const PackageExtras& data_extras();
const PackageExtras& extras_of(std::string_view image);

/// "sha256:…" over the base's recipe, the lock's digest, the extras and the version of the steps.
std::string digest_of_packages(const Recipe& base, std::string_view lock_digest,
                               const PackageExtras& extras);

}  // namespace pybox::store
