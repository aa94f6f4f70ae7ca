#include "reports/write_bench.hpp"

#include <string>

#include "base/digest.hpp"
#include "reports/attest/envelope.hpp"
#include "reports/attest/manifest.hpp"
#include "reports/attest/names.hpp"
#include "reports/attest/ssh.hpp"
#include "reports/attest/statement.hpp"
#include "reports/html/bench.hpp"
#include "reports/read/bench.hpp"
#include "reports/render/bench.hpp"
#include "reports/write.hpp"
#include "sys/file.hpp"

namespace pybox::reports {
namespace {

namespace fs = std::filesystem;

/// Evidence is for reading by anybody.
constexpr unsigned kMode = 0644;
constexpr Bytes kLargest = 256_MiB;

Result<void> put(const fs::path& dir, const char* name, std::string_view text) {
  return sys::replace_file(dir / name, text, kMode);
}

Result<void> write_all(const fs::path& dir, const SigningKey& key) {
  PYBOX_TRY(check_signer(dir, key));
  const std::string text = PYBOX_TRY(sys::read_file(dir / "bench.json", kLargest));
  const Bench bench = PYBOX_TRY(read_bench(text));
  const std::string events = PYBOX_TRY(sys::read_file(dir / "events.jsonl", kLargest));
  const BenchSeries series = PYBOX_TRY(read_bench_series(events));
  PYBOX_TRY(put(dir, "summary.md", bench_markdown(bench)));
  PYBOX_TRY(put(dir, "report.html", bench_html(bench, series)));
  PYBOX_TRY(put(dir, "evidence.pub", to_pem(key.public_key())));
  PYBOX_TRY(put(dir, "allowed_signers", allowed_signer(key.public_key())));
  const std::string manifest = manifest_text(PYBOX_TRY(digests_of(dir, FolderOf::Bench)));
  const std::string statement = PYBOX_TRY(speed_statement(bench, sha256_hex(manifest)));
  const std::string envelope = PYBOX_TRY(dsse_envelope(kStatementType, statement, key));
  PYBOX_TRY(put(dir, "manifest.sha256", manifest));
  PYBOX_TRY(put(dir, "manifest.sha256.sshsig", ssh_signature(manifest, key)));
  return put(dir, "evidence.intoto.jsonl", envelope + "\n");
}

}  // namespace

Result<void> write_bench_reports(const fs::path& dir, const SigningKey& key) {
  auto written = write_all(dir, key);
  if (!written) return std::move(written).error().context("writing the reports of " + dir.string());
  return {};
}

Result<void> sign_bench_plan(const fs::path& dir, const SigningKey& key) {
  const std::string plan = PYBOX_TRY(sys::read_file(dir / "plan.json", kLargest));
  const std::string envelope = PYBOX_TRY(dsse_envelope(kBenchPlanType, plan, key));
  return put(dir, "plan.dsse.json", envelope + "\n");
}

}  // namespace pybox::reports
