#pragma once
/// `campaign verify`: does an evidence folder hold? A reader of its own: of what wrote the folder
/// it shares only SHA-256, Ed25519 and the strict JSON parser, so that a flaw in the writers does
/// not vouch for itself.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "receipt/signature.hpp"

namespace pybox::reports {

/// One thing that was looked at and held, in words: "manifest", "covers 412 files".
struct VerifiedStep {
  std::string name, words;
};

struct VerifiedEvidence {
  std::string campaign, verdict, key_id;
  bool is_bench = false;  ///< then `campaign` is the bench's id, and there is no verdict
  bool complete = false;
  std::vector<VerifiedStep> steps;  ///< in the order of looking
  std::vector<std::string> notes;   ///< what could not be looked at, or deserves a look
};

/// In this order, stopping at the first that does not hold: signatures, payload types, what the
/// statements name, the manifest, the files, the plan and the chain of events, the form of
/// campaign.json, its attempts against the events, verdicts, counts, matrix and protections
/// computed again from the arms, the link to the campaign before. Of a bench: every pair against
/// the plan and the time there was, and every figure computed again. Errors of kind Evidence say
/// what is wrong and where; Io when something cannot be read.
Result<VerifiedEvidence> verify_evidence(const std::filesystem::path& dir, const PublicKey& key);

/// The key beside the evidence (DIR/evidence.pub). It shows that nothing changed since it was
/// signed, not by whom.
Result<PublicKey> key_beside(const std::filesystem::path& dir);

/// What is printed for a folder that holds; ends with what a signature does not prove.
enum class KeyFrom { Given, Own, Beside };
std::string verified_text(const VerifiedEvidence& verified, KeyFrom key);

}  // namespace pybox::reports
