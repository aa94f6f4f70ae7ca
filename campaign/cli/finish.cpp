#include "campaign/cli/finish.hpp"

#include "campaign/bench/figures.hpp"
#include "campaign/oracle/judge.hpp"
#include "receipt/keys.hpp"
#include "reports/write.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {

Result<Evidence> write_evidence(const std::filesystem::path& folder, const SigningKey& key) {
  PYBOX_TRY(reports::check_signer(folder, key));
  Evidence evidence = PYBOX_TRY(judge_folder(folder));
  const std::string text = PYBOX_TRY(evidence_to_json(evidence));
  PYBOX_TRY(sys::replace_file(folder / "campaign.json", text));
  PYBOX_TRY_CONTEXT(reports::write_reports(folder, key), "writing the reports");
  return evidence;
}

Result<Bench> write_bench_evidence(const std::filesystem::path& folder, const SigningKey& key) {
  PYBOX_TRY(reports::check_signer(folder, key));
  const std::string plan = PYBOX_TRY(sys::read_file(folder / "plan.json", 256_MiB));
  const std::string events = PYBOX_TRY(sys::read_file(folder / "events.jsonl", 256_MiB));
  Bench bench = PYBOX_TRY(figures_of(plan, events));
  const std::string text = PYBOX_TRY(bench_to_json(bench));
  PYBOX_TRY(sys::replace_file(folder / "bench.json", text));
  PYBOX_TRY_CONTEXT(reports::write_bench_reports(folder, bench, key), "writing the reports");
  return bench;
}

Result<SigningKey> key_for(std::optional<std::string_view> file) {
  if (!file) {
    const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
    return load_or_make_key(dirs);
  }
  const std::string pem = PYBOX_TRY(sys::read_file(std::filesystem::path(*file), 64_KiB));
  return SigningKey(PYBOX_TRY_CONTEXT(seed_from_pem(pem), std::string(*file)));
}

}  // namespace pybox::campaign
