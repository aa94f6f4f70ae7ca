#include "files/arrival.hpp"

#include <algorithm>

#include "base/digest.hpp"
#include "files/name.hpp"
#include "files/name_tree.hpp"
#include "request/limits.hpp"

namespace pybox::files {
namespace {

/// More than boxd makes of any name (shown()).
constexpr std::size_t kLongestOmitted = 256;

Error wrong(const std::string& what) {
  return {ErrorKind::Protocol, "the engine's returned files do not hold: " + what};
}

Result<void> check_list(const Files& files, std::uint64_t body) {
  const bool received = files.status == Files::Status::Received;
  if (!received && (!files.returned.empty() || body > 0)) return wrong("none should have come");
  if (files.returned.size() > ceiling::kReturnedFiles) return wrong("too many");
  if (files.omitted.size() > ceiling::kOmittedListed) return wrong("too many left behind");
  for (const OmittedFile& file : files.omitted) {
    if (file.name.size() > kLongestOmitted || file.reason.size() > kLongestOmitted)
      return wrong("a name left behind is too long");
  }
  std::uint64_t bytes = 0;
  std::uint64_t names = 0;
  std::string_view before;
  for (const ReturnedFile& file : files.returned) {
    if (!fault_of_path(file.name).empty()) return wrong("a name is not a plain path");
    if (!before.empty() && !(before < file.name)) return wrong("names are out of order");
    before = file.name;
    names += file.name.size();
    // Each by itself first, so that the sum cannot wrap around.
    if (file.bytes > ceiling::kReturnedBytes.count) return wrong("a file is too large");
    bytes += file.bytes;
  }
  if (names > ceiling::kReturnedNames.count) return wrong("their names are too long");
  if (bytes > ceiling::kReturnedBytes.count || bytes != body) return wrong("their size");
  return {};
}

/// The files whose names meet an earlier one's, as left behind; empty when none does.
std::vector<OmittedFile> clashes(const Files& files) {
  NameTree names;
  std::vector<OmittedFile> found;
  for (const ReturnedFile& file : files.returned) {
    if (const auto other = names.add(file.name, InputFile::Kind::File)) {
      found.push_back(
          {file.name, file.bytes,
           "its name differs from `" + shown(*other) + "` only in case or normalisation"});
    }
  }
  return found;
}

/// Moves every returned file that is not in `listed` already behind it.
void move_to_omitted(Files& files, std::vector<OmittedFile> listed, std::string_view reason) {
  const std::size_t known = listed.size();
  for (const ReturnedFile& file : files.returned) {
    const auto same = [&](const OmittedFile& other) { return other.name == file.name; };
    if (std::none_of(listed.begin(), listed.begin() + static_cast<std::ptrdiff_t>(known), same))
      listed.push_back({file.name, file.bytes, std::string(reason)});
  }
  for (OmittedFile& file : listed) file.name = shown(file.name);
  for (OmittedFile& file : files.omitted) listed.push_back(std::move(file));
  files.omitted_total += files.returned.size();
  files.omitted = std::move(listed);
  files.returned.clear();
  limit_omitted(files, ceiling::kOmittedListed);
}

}  // namespace

Result<void> take_contents(Files& files, std::string_view body) {
  PYBOX_TRY(check_list(files, body.size()));
  for (ReturnedFile& file : files.returned) {
    file.content = body.substr(0, file.bytes);
    body.remove_prefix(file.bytes);
    if (sha256_hex(file.content) != file.sha256) return wrong("a digest is not its content's");
  }
  std::vector<OmittedFile> met = clashes(files);
  if (met.empty()) return {};
  move_to_omitted(files, std::move(met), "the whole transfer was refused");
  files.status = Files::Status::Refused;
  return {};
}

void leave_behind(Files& files, std::string_view reason) { move_to_omitted(files, {}, reason); }

void limit_omitted(Files& files, std::size_t most) {
  if (files.omitted.size() > most) files.omitted.resize(most);
}

}  // namespace pybox::files
