#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "receipt/canonical_json.hpp"
#include "receipt/receipt.hpp"
#include "receipt/sections.hpp"
#include "receipt/verify.hpp"

namespace pybox {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr std::size_t kMaxInputs = 4096;
constexpr std::size_t kMaxLines = 64;
constexpr std::uint64_t kSchemaVersion = 1;

ordered_json request_json(const Receipt& receipt) {
  const Request& request = receipt.request;
  ordered_json files = ordered_json::array();
  for (const InputFact& file : receipt.files_in) {
    files.push_back({{"name", sections::text_json(file.name)},
                     {"bytes", sections::count_json(file.bytes)},
                     {"sha256", sections::text_or_null_json(file.sha256)}});
  }
  const Limits& limits = request.limits;
  return {{"image", sections::text_json(request.image)},
          {"image_id", sections::text_or_null_json(receipt.image_id)},
          {"engine", name_of(request.engine)},
          {"python", sections::text_json(request.python)},
          {"timeout_s", request.timeout > Nanos(0) ? sections::seconds_json(request.timeout)
                                                   : ordered_json(nullptr)},
          {"code_sha256", sections::text_or_null_json(receipt.code_sha256)},
          {"limits",
           {{"memory_bytes", sections::count_json(limits.memory.count)},
            {"pids", limits.pids},
            {"cpu", limits.cpu.count / 1000.0},
            {"stdout_bytes", sections::count_json(limits.stdout_bytes.count)},
            {"stderr_bytes", sections::count_json(limits.stderr_bytes.count)}}},
          {"files_in", files},
          {"return_files", request.return_files}};
}

ordered_json receipt_json(const Receipt& receipt) {
  ordered_json object = {{"schema_version", kSchemaVersion},
                         {"receipt_id", sections::text_json(receipt.receipt_id)},
                         {"created_at", sections::text_json(receipt.created_at)},
                         {"pybox_version", sections::text_json(receipt.pybox_version)},
                         {"request", request_json(receipt)},
                         {"host",
                          {{"engine", name_of(receipt.request.engine)},
                           {"accelerator", sections::text_or_null_json(receipt.accelerator)},
                           {"vm", sections::text_or_null_json(receipt.vm)},
                           {"kernel", sections::text_or_null_json(receipt.report.host.kernel)},
                           {"cgroup", sections::text_or_null_json(receipt.report.host.cgroup)}}}};
  object["seal"] = sections::seal_json(receipt.report.seal);
  sections::write_sections(object, receipt.report);
  object["hints"] = sections::texts_json(receipt.hints);
  object["notes"] = sections::texts_json(receipt.report.notes);
  return object;
}

Result<Limits> read_limits(JsonFields fields) {
  Limits limits;
  limits.memory = Bytes{PYBOX_TRY(fields.count("memory_bytes"))};
  limits.pids = static_cast<std::uint32_t>(PYBOX_TRY(fields.count("pids", UINT32_MAX)));
  const double cores = PYBOX_TRY(fields.number("cpu", 0, 1e6));
  limits.cpu = MilliCores{static_cast<std::uint32_t>(cores * 1000 + 0.5)};
  limits.stdout_bytes = Bytes{PYBOX_TRY(fields.count("stdout_bytes"))};
  limits.stderr_bytes = Bytes{PYBOX_TRY(fields.count("stderr_bytes"))};
  PYBOX_TRY(fields.finish());
  return limits;
}

Result<InputFact> read_input(JsonFields& fields) {
  InputFact file;
  file.name = PYBOX_TRY(sections::read_text(fields, "name"));
  file.bytes = PYBOX_TRY(fields.count("bytes"));
  file.sha256 = PYBOX_TRY(sections::read_text_or_null(fields, "sha256")).value_or("");
  return file;
}

Result<void> read_request(JsonFields fields, Receipt& receipt) {
  Request& request = receipt.request;
  request.image = PYBOX_TRY(sections::read_text(fields, "image"));
  receipt.image_id = PYBOX_TRY(sections::read_text_or_null(fields, "image_id")).value_or("");
  request.engine = PYBOX_TRY(sections::read_name(fields, "engine", engine_from));
  request.python = PYBOX_TRY(sections::read_text(fields, "python"));
  const auto timeout = PYBOX_TRY(fields.number_or_null("timeout_s", 0, sections::kLongestSeconds));
  request.timeout = timeout ? from_seconds(*timeout) : Nanos(0);
  receipt.code_sha256 = PYBOX_TRY(sections::read_text_or_null(fields, "code_sha256")).value_or("");
  request.limits = PYBOX_TRY(sections::read_section(fields, "limits", read_limits));
  receipt.files_in =
      PYBOX_TRY(sections::read_objects<InputFact>(fields, "files_in", kMaxInputs, read_input));
  request.return_files = PYBOX_TRY(fields.flag("return_files"));
  return fields.finish();
}

Result<void> read_host(JsonFields fields, Receipt& receipt) {
  const EngineKind engine = PYBOX_TRY(sections::read_name(fields, "engine", engine_from));
  receipt.accelerator = PYBOX_TRY(sections::read_text_or_null(fields, "accelerator"));
  receipt.vm = PYBOX_TRY(sections::read_text_or_null(fields, "vm"));
  receipt.report.host.kernel =
      PYBOX_TRY(sections::read_text_or_null(fields, "kernel")).value_or("");
  receipt.report.host.cgroup =
      PYBOX_TRY(sections::read_text_or_null(fields, "cgroup")).value_or("");
  PYBOX_TRY(fields.finish());
  if (engine != receipt.request.engine) {
    return sections::wrong_shape("`host.engine` is not `request.engine`");
  }
  return {};
}

Result<void> read_signature_shape(JsonFields& fields) {
  if (!fields.has("signature")) {
    PYBOX_TRY(fields.text_or_null("signature"));
    return {};
  }
  JsonFields signature = PYBOX_TRY(fields.object("signature"));
  for (const char* key : {"keyid", "payloadType", "sig"}) PYBOX_TRY(signature.text(key));
  return signature.finish();
}

Result<Receipt> read_receipt(const json& parsed) {
  JsonFields fields = PYBOX_TRY(JsonFields::of(parsed, ""));
  const std::uint64_t version = PYBOX_TRY(fields.count("schema_version"));
  if (version != kSchemaVersion) {
    return sections::wrong_shape("`schema_version` is " + std::to_string(version) +
                                 "; this PyBox knows 1");
  }
  Receipt receipt;
  receipt.receipt_id = PYBOX_TRY(sections::read_text(fields, "receipt_id"));
  receipt.created_at = PYBOX_TRY(sections::read_text(fields, "created_at"));
  receipt.pybox_version = PYBOX_TRY(sections::read_text(fields, "pybox_version"));
  JsonFields request = PYBOX_TRY(fields.object("request"));
  PYBOX_TRY(read_request(std::move(request), receipt));
  JsonFields host = PYBOX_TRY(fields.object("host"));
  PYBOX_TRY(read_host(std::move(host), receipt));
  receipt.report.seal = PYBOX_TRY(sections::read_section(fields, "seal", sections::read_seal));
  PYBOX_TRY(sections::read_sections(fields, receipt.report));
  receipt.hints = PYBOX_TRY(sections::read_texts(fields, "hints", kMaxLines));
  receipt.report.notes = PYBOX_TRY(sections::read_texts(fields, "notes", kMaxLines));
  PYBOX_TRY(read_signature_shape(fields));
  PYBOX_TRY(fields.finish());
  return receipt;
}

std::string base64_of(const RawSignature& signature) {
  return base64_encode({reinterpret_cast<const char*>(signature.data()), signature.size()});
}

}  // namespace

Result<std::string> sign_receipt(const Receipt& receipt, const SigningKey& key) {
  ordered_json object = receipt_json(receipt);
  const std::string payload = PYBOX_TRY(canonical_json(object));
  const RawSignature signature =
      key.sign(pre_authentication_encoding(kReceiptPayloadType, payload));
  object["signature"] = {{"keyid", key_id(key.public_key())},
                         {"payloadType", kReceiptPayloadType},
                         {"sig", base64_of(signature)}};
  return readable_json(object);
}

std::string unsigned_receipt(const Receipt& receipt) {
  ordered_json object = receipt_json(receipt);
  object["signature"] = nullptr;
  return readable_json(object);
}

Result<Receipt> receipt_from_json(std::string_view text) {
  auto parsed = parse_json(text);
  if (!parsed) return std::move(parsed).error().as(ErrorKind::Evidence);
  auto receipt = read_receipt(*parsed);
  if (!receipt) return std::move(receipt).error().as(ErrorKind::Evidence);
  return receipt;
}

}  // namespace pybox
