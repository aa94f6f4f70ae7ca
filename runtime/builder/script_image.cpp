#include "builder/script_image.hpp"

#include <algorithm>
#include <array>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "builder/lock_cache.hpp"
#include "pypi/pep440.hpp"
#include "store/own_images.hpp"
#include "store/recipe.hpp"
#include "store/record.hpp"
#include "sys/file.hpp"

namespace pybox::builder {
namespace {

constexpr std::string_view kDefaultPython = "3.13";
/// Newest first.
constexpr std::array<std::string_view, 3> kPythons = {"3.15", "3.14", "3.13"};

/// The release in the record of a base image; empty when there is none.
std::string release_in_record(const sys::StateDirs& dirs, const store::Recipe& recipe) {
  const auto text = sys::read_file(dirs.images() / recipe.name / "manifest.json");
  if (!text) return {};
  const auto record = store::image_record_from(*text);
  if (!record) return {};
  for (const store::Package& package : record->packages) {
    if (package.name == "python" + recipe.python) return release_of_debian_version(package.version);
  }
  return {};
}

/// Precondition: valid specifiers.
bool fits(const std::string& requires_python, std::string_view release) {
  const auto specifiers = pypi::parse_specifiers(requires_python);
  const auto version = pypi::parse_python_version(release);
  return specifiers && version && matches(*specifiers, *version, release);
}

const InstalledPython* find_series(const std::vector<InstalledPython>& installed,
                                   std::string_view series) {
  for (const InstalledPython& python : installed) {
    if (python.series == series) return &python;
  }
  return nullptr;
}

Error no_python_fits(const std::string& requires_python,
                     const std::vector<InstalledPython>& installed) {
  std::string there;
  for (auto python = installed.rbegin(); python != installed.rend(); ++python) {
    there += (there.empty() ? "" : ", ") + python->release;
  }
  Error error(ErrorKind::Refused, "the script requires Python " + in_ticks(requires_python) +
                                      ", and set up here is " + there);
  for (auto series = kPythons.rbegin(); series != kPythons.rend(); ++series) {
    // Which release a set-up would give is not known: the latest of the series is what it aims at.
    if (find_series(installed, *series) != nullptr ||
        !fits(requires_python, std::string(*series) + ".99")) {
      continue;
    }
    return std::move(error).hint("`pybox setup --python " + std::string(*series) + "` adds one");
  }
  return std::move(error).hint(
      "PyBox has 3.13, 3.14 and 3.15; change the script's requires-python");
}

/// The lock beside the script, the one that was resolved before, or a new one.
Result<pypi::Lock> lock_for(const sys::StateDirs& dirs, const ScriptNeeds& needs,
                            const std::string& python, const ScriptParts& parts) {
  if (needs.lock) return *needs.lock;
  ResolveRequest request;
  request.python = python;
  request.requirements = pypi::to_requirements(needs.script.dependencies);
  const std::string name = cached_lock_name(request.requirements, python);
  if (auto lock = cached_lock(dirs, name)) return *std::move(lock);
  const std::string text =
      PYBOX_TRY_CONTEXT(parts.resolve(request), "locking what " + needs.name + " needs");
  pypi::Lock lock = PYBOX_TRY_CONTEXT(pypi::parse_requirements_lock(text), "the lock that uv made");
  PYBOX_TRY(keep_lock(dirs, name, lock));
  return lock;
}

}  // namespace

std::string release_of_debian_version(std::string_view version) {
  const std::size_t epoch = version.find(':');
  if (epoch != std::string_view::npos) version.remove_prefix(epoch + 1);
  version = version.substr(0, version.find_first_of("-+"));
  std::string release(version);
  std::erase(release, '~');
  return release;
}

std::vector<InstalledPython> installed_pythons(const sys::StateDirs& dirs) {
  std::vector<InstalledPython> installed;
  for (const std::string_view series : kPythons) {
    const store::Recipe* recipe = store::base_recipe(series);
    if (recipe == nullptr) continue;
    std::string release = release_in_record(dirs, *recipe);
    if (!release.empty()) installed.push_back({std::string(series), std::move(release)});
  }
  return installed;
}

Result<std::string> choose_python(const std::optional<std::string>& requires_python,
                                  const std::optional<std::string>& asked,
                                  const std::vector<InstalledPython>& installed) {
  const std::string wanted = asked.value_or(std::string(kDefaultPython));
  if (!requires_python) return wanted;
  const InstalledPython* python = find_series(installed, wanted);
  if (asked) {
    if (python == nullptr || fits(*requires_python, python->release)) return wanted;
    return Error(ErrorKind::Refused, "the script requires Python " + in_ticks(*requires_python) +
                                         ", and Python " + wanted + " is " + python->release)
        .hint("leave out `--python` to use one that fits");
  }
  if (installed.empty()) return wanted;
  if (python != nullptr && fits(*requires_python, python->release)) return wanted;
  for (const InstalledPython& other : installed) {
    if (fits(*requires_python, other.release)) return other.series;
  }
  return no_python_fits(*requires_python, installed);
}

std::string digest_of_block(std::string_view block) { return "sha256:" + sha256_hex(block); }

Result<void> check_lock_fits(const pypi::Lock& lock, const pypi::InlineScript& script,
                             const InstalledPython& python) {
  if (lock.made_for_block && *lock.made_for_block != digest_of_block(script.block)) {
    return Error(ErrorKind::Refused, "it was made for another block than the script has now");
  }
  if (lock.made_for_python && *lock.made_for_python != python.series) {
    return Error(ErrorKind::Refused, "it was made for Python " + visible(*lock.made_for_python) +
                                         ", not for " + python.series);
  }
  if (lock.requires_python && !fits(*lock.requires_python, python.release)) {
    return Error(ErrorKind::Refused, "it requires Python " + in_ticks(*lock.requires_python) +
                                         ", and Python " + python.series + " is " + python.release);
  }
  return {};
}

Result<ScriptImage> image_for_script(const sys::StateDirs& dirs, const ScriptNeeds& needs,
                                     const ScriptParts& parts) {
  const pypi::InlineScript& script = needs.script;
  // Reading the records of the base images takes time; most scripts do not ask.
  const bool asks = script.requires_python || (needs.lock && needs.lock->requires_python);
  const std::vector<InstalledPython> installed =
      asks ? installed_pythons(dirs) : std::vector<InstalledPython>();
  std::optional<std::string> asked = needs.python;
  if (!asked && needs.lock) asked = needs.lock->made_for_python;
  ScriptImage result;
  result.python =
      PYBOX_TRY_CONTEXT(choose_python(script.requires_python, asked, installed), needs.name);
  if (needs.lock) {
    const InstalledPython* there = find_series(installed, result.python);
    // A Python that is not there fits nothing; finding its base image says so better.
    InstalledPython python{result.python, there == nullptr ? "" : there->release};
    pypi::Lock judged = *needs.lock;
    if (there == nullptr) judged.requires_python.reset();
    auto fitting = check_lock_fits(judged, script, python);
    if (!fitting) {
      return std::move(fitting)
          .error()
          .context(needs.lock_name)
          .hint("`pybox image lock " + needs.name + "` makes it again; or remove it");
    }
  }
  if (!needs.lock && script.dependencies.empty()) return result;
  pypi::Lock lock = PYBOX_TRY(lock_for(dirs, needs, result.python, parts));
  result.name = store::cache_image_name(lock);
  if (parts.find(result.name, result.python)) return result;
  PYBOX_TRY_CONTEXT(parts.build({result.name, result.python, std::move(lock)}),
                    "building an image for " + needs.name);
  return result;
}

}  // namespace pybox::builder
