#pragma once
/// What an image is made of: data only. A recipe's digest is part of every image record; an image
/// whose recipe is not today's is refused and built anew.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pybox::store {

struct Recipe {
  std::string name;    ///< folder below images/: "stdlib", for another Python "stdlib-3.14"
  std::string python;  ///< "3.13"
  std::string suite;   ///< Debian code name
  std::vector<std::string> packages;
  /// Paths below the root that a box never needs. The last component may hold `*`.
  std::vector<std::string> drop;
  /// Folders of which only the named files stay.
  std::vector<std::pair<std::string, std::vector<std::string>>> keep_only;
  /// Folders that must exist (mount points among them).
  std::vector<std::string> folders;
  /// What maintainer scripts would have made: path and content, path and link target.
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<std::pair<std::string, std::string>> links;
};

/// The guest kernel: one package, of which a few modules are taken.
struct KernelRecipe {
  std::string suite;
  std::string package;               ///< the meta package that depends on the newest kernel
  std::vector<std::string> modules;  ///< wanted ones; what they depend on comes along
  /// What a builder VM loads besides; the VM for runs never does.
  std::vector<std::string> builder_modules;
};

/// Every file in an image carries this time: the release of Debian 13, later than 1980, before
/// which zip archives cannot say. Seconds since the epoch.
constexpr std::int64_t kFileTime = 1754697600;
/// The file-system UUID in every erofs image: fixed, so that the same tree makes the same file.
constexpr std::string_view kErofsUuid = "5f6b1c6e-7079-5b6f-8000-000000000013";

/// The base image for a Python version, or nullptr when this PyBox cannot build one.
const Recipe* base_recipe(std::string_view python);
/// "3.13, 3.14 and 3.15", for messages.
std::string known_pythons();
const KernelRecipe& kernel_recipe();

/// "sha256:…" over every field and over the version of the building steps.
std::string digest_of(const Recipe& recipe);
std::string digest_of(const KernelRecipe& recipe);

}  // namespace pybox::store
