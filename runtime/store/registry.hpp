#pragma once
/// The images on this host: what each folder of $PYBOX_HOME/images holds and whether it may be
/// used.
///
/// images/NAME/                one image; NAME is "stdlib" (Python 3.13), "stdlib-3.14", "data", or
/// an own name
///   rootfs/                   the unpacked read-only tree (native engine)
///   image.erofs               the same tree as one read-only file (vm engine)
///   tree.list                 the canonical text of the tree (store/tree.hpp); its digest is the
///   image ID
///   manifest.json             the record made when it was built (store/record.hpp)
///   lock.txt                  an image of packages: the lock it was built from
/// The folder is whole or absent: it is built beside and renamed into place. Everything but
/// manifest.json is what the ID, or the record's digest of image.erofs, covers. All files are 0444,
/// folders of the tree 0555, owned by the user.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "store/record.hpp"
#include "sys/fd.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::store {

struct Image {
  std::string name;
  std::string id;      ///< "sha256:…", digest of the canonical manifest of the tree
  std::string python;  ///< "3.13"
  std::filesystem::path rootfs;
  std::filesystem::path erofs;
  /// Its packages were chosen by the user: they may run code at every start of Python.
  bool own_packages = false;
};

/// Reads manifest.json and checks that the record's id is the digest of its own canonical tree list
/// and that its recipe is today's. What held is remembered until a file of the image changes
/// (store/checked.hpp). Error kind Refused: unknown image (hint: how to set up or build
/// it), stale recipe (hint: how to rebuild).
Result<Image> find_image(const sys::StateDirs& dirs, std::string_view name,
                         std::string_view python);

/// Hashes every file of the tree and the erofs image. Error kind Evidence naming the first
/// difference.
Result<void> verify_image(const Image& image, Progress& progress);

/// A shared lock on an image for as long as the descriptor is open (flock on manifest.json): `pybox
/// setup` then leaves the files of a replaced image where they are. Whoever keeps an image mounted
/// or open beyond one call holds one.
Result<sys::Fd> hold_image(const Image& image);

/// Every image folder, sorted by name; unusable ones are included with the reason.
struct Listed {
  std::string name;
  std::optional<Image> image;
  std::string problem;  ///< empty when usable
  /// Whether its record is that of the recipe of now; nothing when there is no record to tell by.
  std::optional<bool> matches_recipe;
  std::vector<Wheel> wheels;  ///< what a package image holds besides its base
};
std::vector<Listed> list_images(const sys::StateDirs& dirs);

}  // namespace pybox::store
