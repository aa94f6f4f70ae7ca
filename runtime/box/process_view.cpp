#include "box/process_view.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/text.hpp"
#include "sys/file.hpp"

namespace pybox::box {
namespace {

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

bool has_option(std::string_view options, std::string_view wanted) {
  while (!options.empty()) {
    if (take_until(options, ',') == wanted) return true;
  }
  return false;
}

std::string squeeze(std::string_view text) {
  std::string out;
  for (std::string_view word; !(word = take_word(text)).empty();) {
    if (!out.empty()) out += ' ';
    out += word;
  }
  return out;
}

}  // namespace

std::string stat_field(std::string_view stat, int number) {
  std::string_view fields = stat.substr(std::min(stat.rfind(')') + 1, stat.size()));
  std::string_view field;
  for (int at = 3; at <= number; ++at) field = take_word(fields);
  return std::string(field);
}

bool MountLine::has(std::string_view option) const { return has_option(options, option); }
bool MountLine::has_super(std::string_view option) const {
  return has_option(super_options, option);
}

Result<ProcessView> ProcessView::of(pid_t pid) {
  ProcessView view;
  view.pid_ = pid;
  view.folder_ = PYBOX_TRY(sys::open_path("/proc/" + std::to_string(pid), O_RDONLY | O_DIRECTORY));
  view.status_ = "\n" + PYBOX_TRY(sys::read_file_at(view.folder_.get(), "status"));
  return view;
}

std::string ProcessView::status(std::string_view key) const {
  const std::string start = "\n" + std::string(key) + ":";
  const std::size_t found = status_.find(start);
  if (found == std::string::npos) return "";
  std::string_view rest = std::string_view(status_).substr(found + start.size());
  return squeeze(take_line(rest));
}

std::string ProcessView::namespace_link(const std::string& name) const {
  return link(("ns/" + name).c_str());
}

std::string ProcessView::link(const char* name) const {
  std::array<char, 4096> target;
  const ssize_t n = ::readlinkat(folder_.get(), name, target.data(), target.size());
  return n < 0 ? "" : std::string(target.data(), static_cast<std::size_t>(n));
}

std::optional<std::string> ProcessView::file(const char* name) const {
  Result<std::string> text = sys::read_file_at(folder_.get(), name);
  if (!text) return std::nullopt;
  return std::move(text).value();
}

std::vector<MountLine> ProcessView::mounts() const {
  std::vector<MountLine> all;
  const std::string text = file("mountinfo").value_or("");
  for (std::string_view lines = text; !lines.empty();) {
    std::string_view fields = take_line(lines);
    MountLine mount;
    for (int skipped = 0; skipped < 4; ++skipped) take_word(fields);
    mount.point = take_word(fields);
    mount.options = take_word(fields);
    for (std::string_view field; !(field = take_word(fields)).empty() && field != "-";) {
      mount.propagation.append(mount.propagation.empty() ? "" : " ").append(field);
    }
    mount.type = take_word(fields);
    take_word(fields);
    mount.super_options = take_word(fields);
    all.push_back(std::move(mount));
  }
  return all;
}

std::vector<std::string> ProcessView::list(const char* folder) const {
  std::vector<std::string> names;
  const int fd = ::openat(folder_.get(), folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, CloseDir> dir(fd < 0 ? nullptr : ::fdopendir(fd));
  if (!dir) return names;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace pybox::box
