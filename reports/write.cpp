#include "reports/write.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "campaign/model/history.hpp"
#include "reports/attest/envelope.hpp"
#include "reports/attest/manifest.hpp"
#include "reports/attest/names.hpp"
#include "reports/attest/ssh.hpp"
#include "reports/attest/statement.hpp"
#include "reports/html/bench.hpp"
#include "reports/html/page.hpp"
#include "reports/render/bench.hpp"
#include "reports/render/ctrf.hpp"
#include "reports/render/junit.hpp"
#include "reports/render/summary.hpp"
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

Result<std::string> read(const fs::path& dir, const char* name) {
  return sys::read_file(dir / name, kLargest);
}

Result<Evidence> load(const fs::path& dir, const char* name) {
  const std::string text = PYBOX_TRY(read(dir, name));
  return PYBOX_TRY_CONTEXT(campaign::evidence_from_json(text), (dir / name).string());
}

struct Earlier {
  std::optional<Evidence> previous;
  std::vector<PastRun> history;
};

Result<Earlier> load_earlier(const fs::path& dir, const Evidence& campaign) {
  Earlier earlier;
  std::error_code ignored;
  if (fs::exists(dir / "previous.json", ignored)) {
    earlier.previous = PYBOX_TRY(load(dir, "previous.json"));
    if (!campaign.previous || campaign.previous->id != earlier.previous->id) {
      return Error(ErrorKind::Evidence,
                   "previous.json is not of the campaign that `previous` names");
    }
  }
  if (fs::exists(dir / "history.json", ignored)) {
    const std::string text = PYBOX_TRY(read(dir, "history.json"));
    earlier.history = PYBOX_TRY(campaign::history_from_json(text));
  }
  return earlier;
}

/// Makes the statements about a manifest with that digest.
using MakeStatements = std::function<Result<std::vector<std::string>>(const std::string& digest)>;

/// The manifest of everything that stands in the folder, and what signs it.
Result<void> write_signatures(const fs::path& dir, const SigningKey& key, FolderOf whose,
                              const MakeStatements& make) {
  PYBOX_TRY(put(dir, "evidence.pub", to_pem(key.public_key())));
  PYBOX_TRY(put(dir, "allowed_signers", allowed_signer(key.public_key())));
  const std::string manifest = manifest_text(PYBOX_TRY(digests_of(dir, whose)));
  std::string lines;
  for (const std::string& statement : PYBOX_TRY(make(sha256_hex(manifest))))
    lines += PYBOX_TRY(dsse_envelope(kStatementType, statement, key)) + "\n";
  // While they are missing, everybody sees that the folder is not finished.
  std::error_code absent;
  fs::remove(dir / "evidence.intoto.jsonl", absent);
  PYBOX_TRY(put(dir, "manifest.sha256", manifest));
  PYBOX_TRY(put(dir, "manifest.sha256.sshsig", ssh_signature(manifest, key)));
  return put(dir, "evidence.intoto.jsonl", lines);
}

Result<void> write_all(const fs::path& dir, const SigningKey& key) {
  PYBOX_TRY(check_signer(dir, key));
  const Evidence campaign = PYBOX_TRY(load(dir, "campaign.json"));
  const Earlier earlier = PYBOX_TRY(load_earlier(dir, campaign));
  const Evidence* const previous = earlier.previous ? &*earlier.previous : nullptr;
  PYBOX_TRY(put(dir, "junit.xml", junit_xml(campaign)));
  const std::string ctrf = PYBOX_TRY(ctrf_json(campaign));
  PYBOX_TRY(put(dir, "ctrf.json", ctrf));
  PYBOX_TRY(put(dir, "summary.md", summary_markdown(campaign, previous)));
  PYBOX_TRY(put(dir, "report.html", report_html({campaign, previous, earlier.history})));
  return write_signatures(dir, key, FolderOf::Campaign,
                          [&](const std::string& digest) -> Result<std::vector<std::string>> {
                            return std::vector{PYBOX_TRY(test_result_statement(campaign, digest)),
                                               PYBOX_TRY(containment_statement(campaign, digest))};
                          });
}

Result<void> write_all_of(const campaign::Bench& bench, const fs::path& dir,
                          const SigningKey& key) {
  PYBOX_TRY(check_signer(dir, key));
  PYBOX_TRY(put(dir, "summary.md", bench_markdown(bench)));
  PYBOX_TRY(put(dir, "report.html", bench_html(bench)));
  return write_signatures(dir, key, FolderOf::Bench,
                          [&](const std::string& digest) -> Result<std::vector<std::string>> {
                            return std::vector{PYBOX_TRY(speed_statement(bench, digest))};
                          });
}

Result<void> of_folder(Result<void> written, const fs::path& dir) {
  if (written) return written;
  return std::move(written).error().context("writing the reports of " + dir.string());
}

}  // namespace

bool is_bench_folder(const fs::path& dir) {
  const auto plan = sys::read_file(dir / "plan.dsse.json", kLargest);
  return plan && plan->find(kBenchPlanType) != std::string::npos;
}

Result<void> check_signer(const fs::path& dir, const SigningKey& key) {
  std::error_code ignored;
  if (!fs::exists(dir / "evidence.pub", ignored)) return {};
  const std::string signer = PYBOX_TRY(read(dir, "evidence.pub"));
  if (signer == to_pem(key.public_key())) return {};
  return Error(ErrorKind::Refused, "this evidence is signed by another key")
      .hint("give that key with `--sign KEY`; to check evidence, `campaign verify` needs none");
}

Result<void> write_reports(const fs::path& dir, const SigningKey& key) {
  return of_folder(write_all(dir, key), dir);
}

Result<void> write_bench_reports(const fs::path& dir, const campaign::Bench& bench,
                                 const SigningKey& key) {
  return of_folder(write_all_of(bench, dir, key), dir);
}

Result<void> sign_plan(const fs::path& dir, const SigningKey& key, FolderOf whose) {
  const std::string plan = PYBOX_TRY(read(dir, "plan.json"));
  const std::string envelope =
      PYBOX_TRY(dsse_envelope(whose == FolderOf::Bench ? kBenchPlanType : kPlanType, plan, key));
  return put(dir, "plan.dsse.json", envelope + "\n");
}

}  // namespace pybox::reports
