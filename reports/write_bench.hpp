#pragma once
/// Everything in an evidence folder of `campaign bench` that is made from bench.json.

#include <filesystem>

#include "base/result.hpp"
#include "receipt/signature.hpp"

namespace pybox::reports {

/// Reads DIR/bench.json and writes summary.md, report.html, evidence.pub, allowed_signers,
/// manifest.sha256, manifest.sha256.sshsig and evidence.intoto.jsonl, as write_reports() does for a
/// campaign: same folder and key, same bytes, nothing unknown in the folder, no folder that another
/// key signed.
Result<void> write_bench_reports(const std::filesystem::path& dir, const SigningKey& key);

/// Signs DIR/plan.json into DIR/plan.dsse.json as the plan of a bench: before the first run.
Result<void> sign_bench_plan(const std::filesystem::path& dir, const SigningKey& key);

}  // namespace pybox::reports
