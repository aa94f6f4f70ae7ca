#include "store/finish.hpp"

#include "store/erofs.hpp"
#include "store/tree.hpp"
#include "sys/file.hpp"

namespace pybox::store {

Result<ImageRecord> finish_image(const sys::Tools& aside, const std::filesystem::path& made,
                                 ImageRecord record, Progress& progress) {
  const std::filesystem::path root = made / "rootfs";
  std::future<Result<ErofsFile>> erofs =
      std::async(std::launch::async, [&] { return make_erofs(aside, root, made / "image.erofs"); });
  progress.stage("hashing the tree");
  const std::vector<TreeEntry> entries = PYBOX_TRY(list_tree(root, progress));
  const std::string list = canonical_text(entries);
  record.id = tree_id(list);
  record.entries = entries.size();
  record.pybox_version = PYBOX_VERSION;
  record.erofs = PYBOX_TRY(await(erofs, "writing image.erofs", progress));
  PYBOX_TRY(sys::replace_file(made / "tree.list", list, 0444));
  PYBOX_TRY(sys::replace_file(made / "manifest.json", to_json(record), 0444));
  return record;
}

}  // namespace pybox::store
