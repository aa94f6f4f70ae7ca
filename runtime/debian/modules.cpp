#include "debian/modules.hpp"

#include <algorithm>
#include <sstream>
#include <system_error>

#include "sys/file.hpp"

namespace pybox::debian {
namespace {

namespace fs = std::filesystem;

using ReadModule = std::function<Result<std::string>(const fs::path&)>;

/// Depth first: a module is appended after all it depends on. `path` guards against a cycle.
struct Order {
  const KernelModules& modules;
  const ReadModule& read;
  std::vector<std::string> done;
  std::set<std::string> open;

  Result<void> add(const std::string& name) {
    if (modules.built_in.contains(name) || std::find(done.begin(), done.end(), name) != done.end())
      return {};
    const auto found = modules.files.find(name);
    if (found == modules.files.end())
      return Error(ErrorKind::HostCannot, "the kernel package has no module `" + name + "`");
    if (!open.insert(name).second)
      return Error(ErrorKind::Evidence,
                   "kernel modules depend on each other in a circle at `" + name + "`");
    const std::string bytes = PYBOX_TRY(read(found->second));
    for (const std::string& needed : dependencies_in(bytes)) PYBOX_TRY(add(needed));
    done.push_back(name);
    return {};
  }
};

}  // namespace

std::string module_name(std::string_view file) {
  file = file.substr(file.rfind('/') + 1);
  std::string name(file.substr(0, file.find(".ko")));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<std::string> dependencies_in(std::string_view module_bytes) {
  // .modinfo holds NUL-terminated KEY=VALUE texts.
  constexpr std::string_view kKey("\0depends=", 9);
  std::vector<std::string> names;
  const std::size_t start = module_bytes.find(kKey);
  if (start == std::string_view::npos) return names;
  std::string_view value = module_bytes.substr(start + kKey.size());
  std::istringstream in{std::string(value.substr(0, value.find('\0')))};
  for (std::string name; std::getline(in, name, ',');) {
    if (!name.empty()) names.push_back(module_name(name));
  }
  return names;
}

Result<KernelModules> modules_in(const fs::path& folder) {
  KernelModules modules;
  std::istringstream built_in(PYBOX_TRY(sys::read_file(folder / "modules.builtin", 4_MiB)));
  for (std::string line; std::getline(built_in, line);) modules.built_in.insert(module_name(line));
  std::error_code code;
  for (auto entry = fs::recursive_directory_iterator(folder, code);
       !code && entry != fs::recursive_directory_iterator(); entry.increment(code)) {
    const std::string file = entry->path().filename().string();
    if (file.find(".ko") != std::string::npos && entry->is_regular_file(code))
      modules.files[module_name(file)] = entry->path();
  }
  if (code) return Error::from_errno(code.value(), "reading " + folder.string());
  return modules;
}

Result<std::vector<std::string>> load_order(const KernelModules& modules,
                                            const std::vector<std::string>& wanted,
                                            const ReadModule& read) {
  Order order{modules, read, {}, {}};
  for (const std::string& name : wanted) PYBOX_TRY(order.add(name));
  return order.done;
}

}  // namespace pybox::debian
