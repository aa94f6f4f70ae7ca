#include "campaign/model/sources.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/text.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

namespace fs = std::filesystem;

/// The names in a folder that end in `suffix`; none where there is no such folder.
std::vector<std::string> names_in(const fs::path& folder, std::string_view suffix) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    std::string name = at->path().filename().string();
    if (name.ends_with(suffix)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> read_into(std::map<std::string, std::string>& texts, const fs::path& folder,
                       std::string_view suffix, const std::string& prefix = {}) {
  for (const std::string& name : names_in(folder, suffix))
    texts[prefix + name] = PYBOX_TRY(sys::read_file(folder / name, 1_MiB));
  return {};
}

}  // namespace

Result<CheckSources> read_sources(const fs::path& folder) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) {
    return Error(ErrorKind::Usage, "`" + visible(folder.string()) + "` is not a folder")
        .hint("a folder of checks holds AREA/*.toml, probes/*.py and drivers/*.py");
  }
  CheckSources sources;
  for (const std::string& area : names_in(folder, ""))
    PYBOX_TRY(read_into(sources.tables, folder / area, ".toml", area + "/"));
  if (sources.tables.empty()) {
    return Error(ErrorKind::Usage, "`" + visible(folder.string()) + "` holds no check tables")
        .hint("they are in AREA/*.toml");
  }
  PYBOX_TRY(read_into(sources.probes, folder / "probes", ".py"));
  PYBOX_TRY(read_into(sources.drivers, folder / "drivers", ".py"));
  return sources;
}

}  // namespace pybox::campaign
