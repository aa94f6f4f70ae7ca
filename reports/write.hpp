#pragma once
/// Everything in an evidence folder that is made from campaign.json (junit.xml, ctrf.json,
/// summary.md, report.html) or of a bench (the last two), and the signed files that cover the
/// folder.

#include <filesystem>

#include "base/result.hpp"
#include "campaign/model/bench.hpp"
#include "receipt/signature.hpp"
#include "reports/attest/names.hpp"

namespace pybox::reports {

/// Reads DIR/campaign.json (and, where there are, previous.json and history.json:
/// campaign/model/history.hpp) and writes junit.xml, ctrf.json, summary.md, report.html,
/// evidence.pub, allowed_signers, manifest.sha256, manifest.sha256.sshsig and
/// evidence.intoto.jsonl, each whole, by rename; the manifest last but for what signs it. Same
/// folder and key, same bytes. Everything else that stands in DIR must be listed in
/// docs/evidence.md: an unknown file, a link or a device is an error of kind Evidence, and so is a
/// campaign.json that does not hold. Refused: check_signer.
Result<void> write_reports(const std::filesystem::path& dir, const SigningKey& key);

/// The same in a folder of `campaign bench`: summary.md, report.html and what signs them with
/// everything else there. `bench`: what bench.json says.
Result<void> write_bench_reports(const std::filesystem::path& dir, const campaign::Bench& bench,
                                 const SigningKey& key);

/// Whether a folder is the evidence of `campaign bench` and not of a campaign, by what its plan was
/// signed as.
bool is_bench_folder(const std::filesystem::path& dir);

/// Refuses a folder that another key signed already: its plan was signed before the first run, and
/// no other key can sign the rest.
Result<void> check_signer(const std::filesystem::path& dir, const SigningKey& key);

/// Signs DIR/plan.json into DIR/plan.dsse.json: to be called before the first run.
Result<void> sign_plan(const std::filesystem::path& dir, const SigningKey& key,
                       FolderOf whose = FolderOf::Campaign);

}  // namespace pybox::reports
