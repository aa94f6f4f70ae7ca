#pragma once
/// From a recording to everything that is made of it.

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "campaign/model/bench.hpp"
#include "campaign/model/evidence.hpp"
#include "receipt/signature.hpp"

namespace pybox::campaign {

/// Judges the folder, writes campaign.json and, from it, every report (reports/write.hpp).
Result<Evidence> write_evidence(const std::filesystem::path& folder, const SigningKey& key);

/// The same of a bench: the figures of its recording, bench.json and what is made from them.
Result<Bench> write_bench_evidence(const std::filesystem::path& folder, const SigningKey& key);

/// What evidence is signed with: the private key in that file (PEM, PKCS #8, Ed25519), else this
/// installation's own. Errors: Io, Evidence when it is no key, those of load_or_make_key().
Result<SigningKey> key_for(std::optional<std::string_view> file);

}  // namespace pybox::campaign
