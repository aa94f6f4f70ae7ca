#pragma once
/// Evidence is for strangers: what tells whose machine it came from is replaced by a word in angle
/// brackets. A Redactor is a value; cleaning is a pure function over text.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "receipt/report.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::campaign {

/// What is secret, and the word that stands for it.
using Secrets = std::vector<std::pair<std::string, std::string>>;

class Redactor {
 public:
  /// The longest secret is looked for first. Secrets of fewer than three bytes are left alone: they
  /// would be found in everything.
  explicit Redactor(Secrets secrets);

  /// Names match whole words only ("root" in "root:x", not in "rootfs"), paths anywhere.
  std::string clean(std::string_view text) const;

 private:
  Secrets secrets_;
};

/// Cleans what a report tells: the kept output (with its count and digest made to fit, unless part
/// of it was dropped), evidence, notes and messages. A note says that it was done.
void clean_report(RunReport& report, const Redactor& redactor);

/// Host name, user name, home folder and PYBOX_HOME of this process: <host>, <user>, <home>,
/// <pybox-home>. Root's name and home are everybody's and stay.
Redactor redactor_of_this_host(const sys::StateDirs& dirs);

/// HMAC-SHA-256 (RFC 2104), lower-case hex.
std::string keyed_digest(std::string_view key, std::string_view message);

}  // namespace pybox::campaign
