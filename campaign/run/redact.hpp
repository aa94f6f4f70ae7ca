#pragma once
/// Evidence is for strangers: what tells whose machine it came from is replaced by a word in angle
/// brackets. A Redactor is a value; cleaning is a pure function over text.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "receipt/report.hpp"

namespace pybox::campaign {

/// What is secret, and the word that stands for it.
using Secrets = std::vector<std::pair<std::string, std::string>>;

class Redactor {
 public:
  /// The longest secret is looked for first. Secrets of fewer than three bytes are left alone, for
  /// they would be found in everything, and so are names that many share (root, localhost) and the
  /// words of a probe's line.
  explicit Redactor(Secrets secrets);

  /// Whole words only ("alice" in "alice:x", not in "malice"); a path may begin anywhere.
  std::string clean(std::string_view text) const;

 private:
  Secrets secrets_;
};

/// Cleans every text of a report: the kept output with its count and digest made to fit (the digest
/// of output that was cut is of what was seen, and stays), names of files, what was read back,
/// evidence, notes and messages. A note says that it was done.
void clean_report(RunReport& report, const Redactor& redactor);

/// HMAC-SHA-256 (RFC 2104), lower-case hex.
std::string keyed_digest(std::string_view key, std::string_view message);

}  // namespace pybox::campaign
