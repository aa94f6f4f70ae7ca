#include <array>
#include <charconv>

#include "base/text.hpp"
#include "builder/lock_cache.hpp"
#include "cli/commands/commands.hpp"
#include "store/own_images.hpp"
#include "sys/fd.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::cli {
namespace {

constexpr std::array kOptions = {
    Option{"--keep", "MIB", "how much the cached images may keep (default: 0)"},
};
constexpr std::string_view kDetails =
    R"(Images that `pybox exec --with-deps` built are kept for the next run. Together
they may take 2 GiB; a build beyond that removes those unused longest. Without
--keep the versions chosen for scripts are removed too. Images built by name are
not pruned.)";

Result<Bytes> limit_from(const Words& words) {
  const auto text = words.value("--keep");
  if (!text) return Bytes{0};
  std::uint32_t mebibytes = 0;
  const auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), mebibytes);
  if (code != std::errc() || end != text->data() + text->size())
    return Error(ErrorKind::Usage, "`--keep` takes a number of MiB, not `" + visible(*text) + "`");
  return Bytes{std::uint64_t{mebibytes} << 20U};
}

Result<int> run(const Words& words, const Surroundings&) {
  const Bytes limit = PYBOX_TRY(limit_from(words));
  const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
  NoProgress quiet;
  const store::Pruned pruned = PYBOX_TRY(store::prune_images(dirs, limit, quiet));
  if (limit == Bytes{0}) PYBOX_TRY(builder::forget_locks(dirs));
  PYBOX_TRY(sys::write_all(2, "removed " + std::to_string(pruned.removed.size()) +
                                  " cached images (" + human_size(pruned.freed) + "), kept " +
                                  human_size(pruned.kept) + "\n"));
  return 0;
}

}  // namespace

const Command kImagePrune{
    .name = "image prune",
    .summary = "Remove cached images of scripts' dependencies",
    .synopsis = "[--keep MIB]",
    .positionals = {},
    .options = kOptions,
    .details = kDetails,
    .program_option = {},
    .run = run,
};

}  // namespace pybox::cli
