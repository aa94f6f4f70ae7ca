#include "store/registry.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/text.hpp"
#include "store/checked.hpp"
#include "store/own_images.hpp"
#include "store/package_recipe.hpp"
#include "store/recipe.hpp"
#include "store/record.hpp"
#include "store/tree.hpp"
#include "sys/file.hpp"
#include "sys/file_digest.hpp"
#include "sys/listing.hpp"

namespace pybox::store {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kMaxRecord = 4_MiB;
constexpr Bytes kMaxTreeList = 64_MiB;
constexpr std::string_view kBasePython = "3.13";

bool is_image_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                  c == '.';
         });
}

bool is_own(std::string_view name) { return name != "stdlib" && name != kDataImage; }

/// The name without "-3.14": own names have no dot.
std::string plain_name(std::string_view folder, std::string_view python) {
  const std::string suffix = "-" + std::string(python);
  if (python != kBasePython && folder.ends_with(suffix)) folder.remove_suffix(suffix.size());
  return std::string(folder);
}

std::string rebuild_hint(std::string_view folder, std::string_view python) {
  const std::string name = plain_name(folder, python);
  const std::string with_python =
      python == kBasePython ? "" : " --python " + visible(python.substr(0, 16));
  if (name == "stdlib") return "run `pybox setup" + with_python + "`";
  if (name == kDataImage) return "run `pybox setup --with data" + with_python + "`";
  if (own_image_name(name))
    return "rebuild it: `pybox image build " + name + " --lock FILE" + with_python + "`";
  return "run `pybox image rm " + visible(folder) + "`; `--with-deps` then rebuilds it";
}

Error damaged(const std::string& name, std::string_view what, std::string_view python) {
  return Error(ErrorKind::Refused, "the image `" + name + "` is damaged: " + std::string(what))
      .hint(rebuild_hint(name, python));
}

Error stale(const std::string& name, std::string_view what, std::string_view python) {
  return Error(ErrorKind::Refused, "the image `" + name + "` " + std::string(what))
      .hint(rebuild_hint(name, python));
}

/// The record against the recipe of now: PyBox's own for what it ships, the saved lock for others.
Result<void> check_recipe(const ImageRecord& record, const fs::path& folder) {
  const std::string& name = record.name;
  const Recipe* base = base_recipe(record.python);
  constexpr std::string_view kOther = "was built from another recipe than this PyBox's";
  if (base == nullptr) return stale(name, kOther, record.python);
  if (!record.has_wheels()) {
    if (base->name == name && digest_of(*base) == record.recipe) return {};
    return stale(name, kOther, record.python);
  }
  const std::string plain = plain_name(name, record.python);
  std::string lock;
  if (plain == kDataImage) {
    lock = "sha256:" + sha256_hex(data_lock_text());
  } else {
    const Result<std::string> text =
        sys::read_file(folder / "lock.txt", Bytes{pypi::kMaxPylockBytes});
    if (!text) return damaged(name, "its lock is missing", record.python);
    lock = "sha256:" + sha256_hex(*text);
    if (lock != record.lock)
      return stale(name, "was built from another lock than the one saved with it", record.python);
  }
  if (digest_of_packages(*base, lock, extras_of(plain)) == record.recipe) return {};
  return stale(name, kOther, record.python);
}

Result<ImageRecord> read_record(const fs::path& folder) {
  const std::string text = PYBOX_TRY(sys::read_file(folder / "manifest.json", kMaxRecord));
  return image_record_from(text);
}

/// Everything find_image() promises, for the image in one folder.
Result<Image> open_image(const fs::path& folder) {
  const std::string name = folder.filename().string();
  Result<ImageRecord> record = read_record(folder);
  if (!record) return damaged(name, record.error().message(), kBasePython);
  const std::string& python = record->python;
  if (record->name != name)
    return damaged(name, "its record is that of `" + visible(record->name) + "`", python);
  const Result<std::string> list = sys::read_file(folder / "tree.list", kMaxTreeList);
  if (!list) return damaged(name, list.error().message(), python);
  if (tree_id(*list) != record->id)
    return damaged(name, "its ID is not the digest of its list of files", python);
  PYBOX_TRY(check_recipe(*record, folder));
  std::error_code code;
  if (fs::file_size(folder / "image.erofs", code) != record->erofs.bytes || code) {
    return damaged(name, "image.erofs is missing or has another size than recorded", python);
  }
  if (!fs::is_directory(folder / "rootfs", code)) return damaged(name, "rootfs is missing", python);
  return Image{name,
               record->id,
               python,
               folder / "rootfs",
               folder / "image.erofs",
               is_own(plain_name(name, python))};
}

/// What PyBox itself says an image is made of; an own image's lock is one of its files. Empty for a
/// Python that PyBox does not know.
std::string recipe_of_now(std::string_view name, std::string_view python) {
  const Recipe* base = base_recipe(python);
  if (base == nullptr) return {};
  if (name != kDataImage) return digest_of(*base);
  return digest_of_packages(*base, "sha256:" + sha256_hex(data_lock_text()), extras_of(name));
}

Error no_image(std::string_view name, std::string_view python) {
  const std::string version = visible(python.substr(0, 16));
  Error error(ErrorKind::Refused,
              "there is no image `" + std::string(name) + "` for Python " + version);
  if (base_recipe(python) == nullptr)
    return std::move(error).hint("this PyBox builds images for Python " + known_pythons());
  if (name == "stdlib" || name == kDataImage)
    return std::move(error).hint(rebuild_hint(folder_of_image(name, python), python));
  return std::move(error).hint(
      "`pybox image list` shows what is there; `pybox image build` makes one from a lock");
}

}  // namespace

Result<Image> find_image(const sys::StateDirs& dirs, std::string_view name,
                         std::string_view python) {
  if (!is_image_name(name)) {
    return Error(ErrorKind::Refused, "`" + visible(name.substr(0, 100)) + "` is not an image name")
        .hint("image names are lower-case letters, digits, `-`, `_` and `.`, at most 64");
  }
  const std::string folder_name = folder_of_image(name, visible(python.substr(0, 16)));
  const fs::path folder = dirs.images() / folder_name;
  std::error_code ignored;
  if (!is_image_name(folder_name) || !fs::exists(fs::symlink_status(folder, ignored))) {
    return no_image(name, python);
  }
  const std::string recipe = recipe_of_now(name, python);
  const std::string facts = recipe.empty() ? "" : facts_of(folder, recipe, wall_now());
  if (auto id = remembered_id(dirs, folder_name, facts)) {
    return Image{folder_name,       *std::move(id),         std::string(python),
                 folder / "rootfs", folder / "image.erofs", is_own(name)};
  }
  Image image = PYBOX_TRY(open_image(folder));
  if (image.python == python) {
    remember_id(dirs, folder_name, facts, image.id);
    return image;
  }
  return Error(ErrorKind::Refused, "the image `" + std::string(name) + "` holds Python " +
                                       image.python + ", not " + visible(python.substr(0, 16)));
}

Result<void> verify_image(const Image& image, Progress& progress) {
  const fs::path folder = image.rootfs.parent_path();
  const ImageRecord record = PYBOX_TRY(read_record(folder));
  const std::string list = PYBOX_TRY(sys::read_file(folder / "tree.list", kMaxTreeList));
  PYBOX_TRY(verify_tree(image.rootfs, list, progress));
  const sys::Fd erofs = PYBOX_TRY(sys::open_path(image.erofs, O_RDONLY | O_NOFOLLOW));
  const std::string digest =
      PYBOX_TRY(sys::digest_of_open(erofs, image.erofs.string(), [](std::uint64_t) {}));
  if (digest == record.erofs.sha256) return {};
  return Error(ErrorKind::Evidence, "image.erofs differs from its record");
}

Result<sys::Fd> hold_image(const Image& image) {
  const fs::path record = image.rootfs.parent_path() / "manifest.json";
  sys::Fd fd = PYBOX_TRY(sys::open_path(record, O_RDONLY));
  while (::flock(fd.get(), LOCK_SH) != 0) {
    if (errno != EINTR) return Error::from_errno(errno, "locking " + record.string());
  }
  return fd;
}

std::vector<Listed> list_images(const sys::StateDirs& dirs) {
  std::vector<fs::path> folders;
  std::error_code ignored;
  for (const fs::path& entry : sys::entries_of(dirs.images(), ignored)) {
    if (is_image_name(entry.filename().string())) folders.push_back(entry);
  }
  std::sort(folders.begin(), folders.end());
  std::vector<Listed> listed;
  for (const fs::path& folder : folders) {
    Result<Image> image = open_image(folder);
    Listed item{folder.filename().string(), std::nullopt, "", std::nullopt, {}};
    if (Result<ImageRecord> record = read_record(folder)) {
      item.matches_recipe = check_recipe(*record, folder).has_value();
      item.wheels = std::move(record->wheels);
    }
    if (image) {
      item.image = std::move(image).value();
    } else {
      item.problem = image.error().message();
    }
    listed.push_back(std::move(item));
  }
  return listed;
}

}  // namespace pybox::store
