#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/doctor/probes.hpp"
#include "receipt/keys.hpp"
#include "request/settings.hpp"
#include "store/registry.hpp"

namespace pybox::cli {
namespace {

namespace fs = std::filesystem;
using Area = DoctorCheck::Area;

/// The nearest folder above that exists: what has to be writable for a path to be made.
fs::path existing_part(fs::path path) {
  while (path.has_parent_path() && path != path.parent_path() &&
         ::access(path.c_str(), F_OK) != 0) {
    path = path.parent_path();
  }
  return path;
}

DoctorCheck absent_folder(DoctorCheck check, const fs::path& path) {
  const fs::path above = existing_part(path);
  check.ok = ::access(above.c_str(), W_OK | X_OK) == 0;
  check.detail = path.string() + (check.ok ? ", will be made" : ", cannot be made");
  check.fix = "set PYBOX_HOME to a folder of your own";
  return check;
}

DoctorCheck settings_check(const sys::StateDirs& dirs) {
  const auto settings = load_settings(dirs.config);
  const bool present = ::access(dirs.config.c_str(), F_OK) == 0;
  if (!settings) {
    return {Area::State, "settings", false, settings.error().message(),
            "edit " + dirs.config.string()};
  }
  return {Area::State, "settings", true, present ? dirs.config.string() : "none, the defaults", ""};
}

DoctorCheck key_check(const sys::StateDirs& dirs) {
  const fs::path file = private_key_file(dirs);
  if (::access(file.c_str(), F_OK) != 0) {
    return {Area::State,   "signing key", false, "none yet, the first run makes it",
            "pybox setup", false};
  }
  const auto key = load_or_make_key(dirs);
  if (key) return {Area::State, "signing key", true, key_id(key->public_key()), ""};
  return {Area::State, "signing key", false, key.error().message(), key.error().hint()};
}

void image_checks(const sys::StateDirs& dirs, std::vector<DoctorCheck>& checks) {
  bool any = false;
  for (const store::Listed& listed : store::list_images(dirs)) {
    const bool usable = listed.image.has_value();
    any = any || usable;
    checks.push_back({Area::State, "image " + listed.name, usable,
                      usable ? listed.image->id : listed.problem, "pybox setup", false});
  }
  if (!any)
    checks.push_back({Area::State, "images", false, "none that may be used", "pybox setup"});
}

}  // namespace

DoctorCheck private_folder(const std::string& name, const fs::path& path) {
  DoctorCheck check{Area::State, name, false, path.string(), ""};
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return absent_folder(std::move(check), path);
    check.detail = path.string() + ": " + strerrordesc_np(errno);
    check.fix = "set PYBOX_HOME to a folder of your own";
  } else if (!S_ISDIR(info.st_mode)) {
    check.detail = path.string() + " is not a folder";
    check.fix = "move it away";
  } else if (info.st_uid != ::geteuid()) {
    check.detail = path.string() + " belongs to another user";
    check.fix = "set PYBOX_HOME to a folder of your own";
  } else if ((info.st_mode & 07777U) != 0700U) {
    check.detail = fmt::format("{} has mode {:04o}", path.string(), info.st_mode & 07777U);
    check.fix = "chmod 700 " + path.string();
    // That others may look into it is worth a word; that they may write there is a hole.
    check.needed = (info.st_mode & 0022U) != 0;
  } else {
    check.ok = true;
  }
  return check;
}

void probe_host_facts(std::vector<DoctorCheck>& checks) {
  utsname names{};
  ::uname(&names);
  checks.push_back({Area::Host, "kernel", true,
                    fmt::format("{} {} {}", names.sysname, names.release, names.machine), ""});
}

void probe_state(const sys::StateDirs& dirs, std::vector<DoctorCheck>& checks) {
  checks.push_back(private_folder("home", dirs.home));
  checks.push_back(private_folder("sockets", dirs.run));
  checks.push_back(settings_check(dirs));
  checks.push_back(key_check(dirs));
  image_checks(dirs, checks);
}

}  // namespace pybox::cli
