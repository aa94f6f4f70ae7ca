#pragma once
/// The in-toto statements. About a campaign there are two: the generic test result, which any
/// in-toto tool reads, and our own, which can say what was taken away and what it showed.

#include <string>

#include "base/result.hpp"
#include "campaign/model/bench.hpp"
#include "campaign/model/evidence.hpp"

namespace pybox::reports {

using campaign::Evidence;

/// Subjects are the programs tested; held checks passed, broken and worse failed, the rest warned.
Result<std::string> test_result_statement(const Evidence& campaign,
                                          const std::string& manifest_sha256);

/// Subject is manifest.sha256.
Result<std::string> containment_statement(const Evidence& campaign,
                                          const std::string& manifest_sha256);

/// The one statement about a bench; its subject is manifest.sha256.
Result<std::string> speed_statement(const campaign::Bench& bench,
                                    const std::string& manifest_sha256);

}  // namespace pybox::reports
