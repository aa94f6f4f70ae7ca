#include "reports/write.hpp"

#include <optional>
#include <string>

#include "base/digest.hpp"
#include "reports/attest/envelope.hpp"
#include "reports/attest/manifest.hpp"
#include "reports/attest/names.hpp"
#include "reports/attest/ssh.hpp"
#include "reports/attest/statement.hpp"
#include "reports/html/page.hpp"
#include "reports/read/campaign.hpp"
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

Result<Campaign> load(const fs::path& file) {
  const std::string text = PYBOX_TRY(sys::read_file(file, kLargest));
  return PYBOX_TRY_CONTEXT(read_campaign(text), file.string());
}

struct Earlier {
  std::optional<Campaign> previous;
  std::vector<PastRun> history;
};

Result<Earlier> load_earlier(const fs::path& dir, const Campaign& campaign) {
  Earlier earlier;
  std::error_code ignored;
  if (fs::exists(dir / "previous.json", ignored)) {
    earlier.previous = PYBOX_TRY(load(dir / "previous.json"));
    if (!campaign.previous || campaign.previous->id != earlier.previous->id) {
      return Error(ErrorKind::Evidence,
                   "previous.json is not of the campaign that `previous` names");
    }
  }
  if (fs::exists(dir / "history.json", ignored)) {
    const std::string text = PYBOX_TRY(sys::read_file(dir / "history.json", kLargest));
    earlier.history = PYBOX_TRY_CONTEXT(read_history(text), "history.json");
  }
  return earlier;
}

Result<void> write_signatures(const fs::path& dir, const Campaign& campaign,
                              const SigningKey& key) {
  const std::string manifest = manifest_text(PYBOX_TRY(digests_of(dir)));
  const std::string digest = sha256_hex(manifest);
  std::string statements;
  for (auto* const make : {&test_result_statement, &containment_statement}) {
    const std::string statement = PYBOX_TRY(make(campaign, digest));
    statements += PYBOX_TRY(dsse_envelope(kStatementType, statement, key)) + "\n";
  }
  // While they are missing, everybody sees that the folder is not finished.
  std::error_code absent;
  fs::remove(dir / "evidence.intoto.jsonl", absent);
  PYBOX_TRY(put(dir, "manifest.sha256", manifest));
  PYBOX_TRY(put(dir, "manifest.sha256.sshsig", ssh_signature(manifest, key)));
  return put(dir, "evidence.intoto.jsonl", statements);
}

Result<void> write_all(const fs::path& dir, const SigningKey& key) {
  PYBOX_TRY(check_signer(dir, key));
  const Campaign campaign = PYBOX_TRY(load(dir / "campaign.json"));
  const Earlier earlier = PYBOX_TRY(load_earlier(dir, campaign));
  const Campaign* const previous = earlier.previous ? &*earlier.previous : nullptr;
  PYBOX_TRY(put(dir, "junit.xml", junit_xml(campaign)));
  const std::string ctrf = PYBOX_TRY(ctrf_json(campaign));
  PYBOX_TRY(put(dir, "ctrf.json", ctrf));
  PYBOX_TRY(put(dir, "summary.md", summary_markdown(campaign, previous)));
  PYBOX_TRY(put(dir, "report.html", report_html({campaign, previous, earlier.history})));
  PYBOX_TRY(put(dir, "evidence.pub", to_pem(key.public_key())));
  PYBOX_TRY(put(dir, "allowed_signers", allowed_signer(key.public_key())));
  return write_signatures(dir, campaign, key);
}

}  // namespace

Result<void> check_signer(const fs::path& dir, const SigningKey& key) {
  std::error_code ignored;
  if (!fs::exists(dir / "evidence.pub", ignored)) return {};
  const std::string signer = PYBOX_TRY(sys::read_file(dir / "evidence.pub"));
  if (signer == to_pem(key.public_key())) return {};
  return Error(ErrorKind::Refused, "this evidence is signed by another key")
      .hint("give that key with `--sign KEY`; to check evidence, `campaign verify` needs none");
}

Result<void> write_reports(const fs::path& dir, const SigningKey& key) {
  auto written = write_all(dir, key);
  if (!written) return std::move(written).error().context("writing the reports of " + dir.string());
  return {};
}

Result<void> sign_plan(const fs::path& dir, const SigningKey& key) {
  const std::string plan = PYBOX_TRY(sys::read_file(dir / "plan.json", kLargest));
  const std::string envelope = PYBOX_TRY(dsse_envelope(kPlanType, plan, key));
  return put(dir, "plan.dsse.json", envelope + "\n");
}

}  // namespace pybox::reports
