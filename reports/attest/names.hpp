#pragma once
/// The files of an evidence folder (docs/evidence.md); nothing else may stand there.

#include <algorithm>
#include <string_view>

namespace pybox::reports {

/// Covered by the manifest.
inline constexpr std::string_view kEvidenceFiles[] = {
    "allowed_signers", "campaign.json", "ctrf.json",   "events.jsonl",
    "evidence.pub",    "history.json",  "junit.xml",   "plan.dsse.json",
    "plan.json",       "previous.json", "report.html", "summary.md"};
/// Of a bench (docs/benchmarks.md).
inline constexpr std::string_view kBenchFiles[] = {
    "allowed_signers", "bench.json", "events.jsonl", "evidence.pub",
    "plan.dsse.json",  "plan.json",  "report.html",  "summary.md"};
/// They cover the manifest.
inline constexpr std::string_view kSigningFiles[] = {"evidence.intoto.jsonl", "manifest.sha256",
                                                     "manifest.sha256.sshsig"};

/// Whose evidence a folder holds: of a campaign, or of a bench.
enum class FolderOf { Campaign, Bench };

inline bool is_evidence_file(std::string_view name, FolderOf whose) {
  const auto holds = [&](const auto& names) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  return whose == FolderOf::Campaign ? holds(kEvidenceFiles) : holds(kBenchFiles);
}
inline bool is_signing_file(std::string_view name) {
  return std::find(std::begin(kSigningFiles), std::end(kSigningFiles), name) !=
         std::end(kSigningFiles);
}
/// "raw/ab/" and 62 more hex digits.
inline bool is_blob_name(std::string_view name) {
  if (name.size() != 69 || !name.starts_with("raw/") || name[6] != '/') return false;
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  const std::string_view head = name.substr(4, 2), tail = name.substr(7);
  return std::all_of(head.begin(), head.end(), is_hex) &&
         std::all_of(tail.begin(), tail.end(), is_hex);
}

inline constexpr std::string_view kStatementType = "application/vnd.in-toto+json";
inline constexpr std::string_view kPlanType = "application/vnd.pybox.campaign-plan+json";
inline constexpr std::string_view kBenchPlanType = "application/vnd.pybox.bench-plan+json";
inline constexpr std::string_view kTestResult = "https://in-toto.io/attestation/test-result/v0.1";
inline constexpr std::string_view kContainmentEvidence = "urn:pybox:containment-evidence:v1";
inline constexpr std::string_view kSpeedEvidence = "urn:pybox:speed-evidence:v1";
inline constexpr std::string_view kSshNamespace = "pybox-evidence";
inline constexpr std::string_view kSshIdentity = "evidence@pybox";

}  // namespace pybox::reports
