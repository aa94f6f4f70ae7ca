#pragma once
/// The records that set-up leaves beside what it built: manifest.json of an image and of the
/// kernel. They hold no clock and no path, so that two builds from the same packages leave the same
/// record.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "store/erofs.hpp"
#include "store/package.hpp"

namespace pybox::store {

/// {"schema_version":1,"kind":"image","name","id","python","suites":[…],"recipe":"sha256:…",
///  "pybox_version","tree":{"entries"},"erofs":{"sha256","bytes","maker"},
///  "packages":[{"name","version","architecture","file","bytes","sha256"}…]}
struct Wheel {
  std::string name;
  std::string version;
  std::string sha256;
};
struct ImageRecord {
  std::string name;
  std::string id;
  std::string python;
  std::vector<std::string> suites;
  std::string recipe;  ///< digest_of(Recipe)
  std::string pybox_version;
  std::uint64_t entries = 0;
  ErofsFile erofs;
  std::vector<Package> packages;
  /// An image of Python packages has kind "package-image", no Debian packages of its own, and
  /// "base":ID of the base image,"lock":"sha256:…","wheels":[{"name","version","sha256"}…].
  std::string base;
  std::string lock;
  std::vector<Wheel> wheels;

  bool has_wheels() const { return !lock.empty(); }
};

/// {"schema_version":1,"kind":"kernel","id","release","suites":[…],"recipe","pybox_version",
///  "files":[{"name","bytes","sha256"}…],"packages":[one]}
/// `files`: vmlinuz first, then the modules in load order.
struct KernelFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::string sha256;
};
struct KernelRecord {
  std::string id;
  std::string release;
  std::vector<std::string> suites;
  std::string recipe;
  std::string pybox_version;
  std::vector<KernelFile> files;
  Package package;
};

std::string to_json(const ImageRecord& record);
std::string to_json(const KernelRecord& record);
/// Error kind Protocol naming the field.
Result<ImageRecord> image_record_from(std::string_view json);
Result<KernelRecord> kernel_record_from(std::string_view json);

/// A sentence for the user when an image was built anew: its ID is the same, or from what to what
/// and because of what it changed.
std::string what_changed(const ImageRecord& before, const ImageRecord& after);

/// "sha256:…" over name and digest of each file, in order.
std::string kernel_id(const std::vector<KernelFile>& files);

}  // namespace pybox::store
