#pragma once
/// The folder on this host that returned files are written to: whole or absent.
///
/// Files are written to a temporary folder beside the wanted one, mode 0600 in folders of mode
/// 0700, marked with the extended attribute user.pybox.untrusted where the file system has such,
/// and the temporary folder then takes the wanted name by one rename. What a client that was killed
/// while it wrote has left is removed by the next delivery to the same name.

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "receipt/report.hpp"
#include "sys/fd.hpp"

namespace pybox::files {

class OutputFolder {
 public:
  /// Looks whether files could be delivered to `path`: absent or an empty folder (a link to one
  /// counts as the folder), in a folder that may be written to. Refused otherwise. Changes nothing.
  static Result<OutputFolder> prepare(std::string_view path);

  /// As the user wrote it.
  const std::string& shown_path() const { return asked_; }

  /// Writes every returned file. `mark` becomes the value of the attribute: the receipt's id.
  /// Precondition: the files came through take_contents (files/arrival.hpp).
  Result<void> deliver(const Files& files, std::string_view mark) const;

 private:
  std::string asked_;
  std::string name_;              ///< last component of where it really lies
  std::filesystem::path parent_;  ///< absolute
  sys::Fd parent_fd_;
  bool existed_ = false;
};

}  // namespace pybox::files
