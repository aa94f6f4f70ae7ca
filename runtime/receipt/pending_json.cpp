#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "receipt/pending.hpp"
#include "sys/file.hpp"
#include "sys/listing.hpp"

namespace pybox {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxHead = 1U << 20U;  // link::kMaxHead

Result<json> head_from(const std::string& text) {
  if (text.size() > kMaxHead) return Error(ErrorKind::Protocol, "a head larger than 1 MiB");
  json value = PYBOX_TRY(parse_json(text));
  if (!value.is_object()) return Error(ErrorKind::Protocol, "a head that is not an object");
  return value;
}

json text_or_null(const std::optional<std::string>& text) {
  return text ? json(*text) : json(nullptr);
}

}  // namespace

std::filesystem::path pending_dir(const sys::StateDirs& dirs) {
  return dirs.receipts() / "pending";
}

Result<void> keep_pending(const sys::StateDirs& dirs, std::string_view receipt_id,
                          const PendingRun& run) {
  if (!is_plain_word(receipt_id))
    return Error(ErrorKind::Protocol, "the receipt's id is not a plain word");
  json record = {{"schema_version", 1}, {"seal", nullptr}, {"report", nullptr}};
  record["order"] = PYBOX_TRY_CONTEXT(head_from(run.order_head), "order");
  // The receipt does not repeat the program's arguments, and they may be secret.
  if (record["order"].contains("args_base64")) record["order"]["args_base64"] = json::array();
  if (run.seal_head) record["seal"] = PYBOX_TRY_CONTEXT(head_from(*run.seal_head), "seal");
  if (run.report_head) record["report"] = PYBOX_TRY_CONTEXT(head_from(*run.report_head), "report");
  record["accelerator"] = text_or_null(run.accelerator);
  record["vm"] = text_or_null(run.vm);
  PYBOX_TRY(sys::ensure_private_dir(pending_dir(dirs)));
  return sys::replace_file(pending_dir(dirs) / (std::string(receipt_id) + ".json"), record.dump());
}

Result<PendingRun> read_pending(const std::filesystem::path& file) {
  const std::string text = PYBOX_TRY(sys::read_file(file, Bytes{4 * kMaxHead}));
  const json record = PYBOX_TRY_CONTEXT(parse_json(text), file.string());
  JsonFields fields = PYBOX_TRY(JsonFields::of(record, ""));
  if (PYBOX_TRY(fields.count("schema_version")) != 1) {
    return Error(ErrorKind::Protocol, file.string() + ": unknown schema_version");
  }
  PendingRun run;
  (void)PYBOX_TRY(fields.object("order"));
  run.order_head = record["order"].dump();
  const auto take = [&](const char* key, std::optional<std::string>& head) -> Result<void> {
    if (!fields.has(key)) return {};
    (void)PYBOX_TRY(fields.object(key));
    head = record[key].dump();
    return {};
  };
  PYBOX_TRY(take("seal", run.seal_head));
  PYBOX_TRY(take("report", run.report_head));
  run.accelerator = PYBOX_TRY(fields.text_or_null("accelerator", 16));
  run.vm = PYBOX_TRY(fields.text_or_null("vm", 16));
  PYBOX_TRY(fields.finish());
  return run;
}

std::vector<std::filesystem::path> list_pending(const sys::StateDirs& dirs) {
  std::vector<std::filesystem::path> files;
  std::error_code ignored;
  for (const std::filesystem::path& entry : sys::entries_of(pending_dir(dirs), ignored)) {
    if (entry.extension() == ".json") files.push_back(entry);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace pybox
