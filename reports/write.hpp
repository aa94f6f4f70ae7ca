#pragma once
/// Everything in an evidence folder that is made from campaign.json: junit.xml, ctrf.json,
/// summary.md, report.html, and the signed files that cover the folder.

#include <filesystem>

#include "base/result.hpp"
#include "receipt/signature.hpp"

namespace pybox::reports {

/// Reads DIR/campaign.json (and, where there are, previous.json and history.json:
/// reports/history.hpp) and writes junit.xml, ctrf.json, summary.md, report.html, evidence.pub,
/// allowed_signers, manifest.sha256, manifest.sha256.sshsig and evidence.intoto.jsonl, each whole,
/// by rename; the manifest last but for what signs it. Same folder and key, same bytes. Everything
/// else that stands in DIR must be listed in docs/evidence.md: an unknown file, a link or a device
/// is an error of kind Evidence, and so is a campaign.json that does not hold. Refused:
/// check_signer.
Result<void> write_reports(const std::filesystem::path& dir, const SigningKey& key);

/// Refuses a folder that another key signed already: its plan was signed before the first run, and
/// no other key can sign the rest.
Result<void> check_signer(const std::filesystem::path& dir, const SigningKey& key);

/// Signs DIR/plan.json into DIR/plan.dsse.json: to be called before the first arm runs.
Result<void> sign_plan(const std::filesystem::path& dir, const SigningKey& key);

}  // namespace pybox::reports
