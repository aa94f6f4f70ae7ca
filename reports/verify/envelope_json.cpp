#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "reports/verify/parts.hpp"

namespace pybox::reports::verify {
namespace {

using nlohmann::json;

constexpr std::size_t kLargestPayload = 128U << 20U;

/// 64 raw bytes from base64.
Result<RawSignature> raw_signature(const std::string& text, const std::string& place) {
  std::string bytes;
  RawSignature signature{};
  if (!base64_decode(text, bytes) || bytes.size() != signature.size()) {
    return wrong(place + ": the signature is not an Ed25519 signature in base64");
  }
  std::copy(bytes.begin(), bytes.end(), signature.begin());
  return signature;
}

Result<Envelope> open_fields(JsonFields fields, std::string_view line, const std::string& place,
                             const PublicKey& key) {
  Envelope envelope{place, PYBOX_TRY(fields.text("payloadType", 256)), ""};
  const std::string payload = PYBOX_TRY(fields.text("payload", kLargestPayload));
  const auto signatures = PYBOX_TRY(fields.list("signatures", 1));
  PYBOX_TRY(fields.finish());
  if (signatures.size() != 1) return wrong(place + " must have exactly one signature");
  JsonFields one = PYBOX_TRY(JsonFields::of(*signatures.front(), "signatures[0]"));
  const std::string id = PYBOX_TRY(one.text("keyid", 256));
  const std::string text = PYBOX_TRY(one.text("sig", 256));
  PYBOX_TRY(one.finish());
  if (id != key_id(key)) {
    return wrong(place + " is signed by another key: " + visible(id) + ", not " + key_id(key))
        .hint("give the key of whoever signed it with --key, if you trust them");
  }
  PYBOX_TRY(check_form(line, place));
  if (!base64_decode(payload, envelope.payload))
    return wrong(place + ": the payload is not base64");
  const RawSignature signature = PYBOX_TRY(raw_signature(text, place));
  if (!signature_holds(key, pre_authentication_encoding(envelope.type, envelope.payload),
                       signature)) {
    return wrong(place + ": the signature does not hold, so its content was changed after signing");
  }
  return envelope;
}

struct Statement {
  json subject, predicate;
};

Result<Statement> open_statement(const Envelope& envelope, std::string_view predicate_type) {
  json root = PYBOX_TRY_CONTEXT(parse_json(envelope.payload), envelope.place);
  PYBOX_TRY(check_form(envelope.payload, envelope.place));
  JsonFields fields = PYBOX_TRY_CONTEXT(JsonFields::of(root, ""), envelope.place);
  const std::string type = PYBOX_TRY_CONTEXT(fields.text("_type"), envelope.place);
  const std::string predicate = PYBOX_TRY_CONTEXT(fields.text("predicateType"), envelope.place);
  PYBOX_TRY_CONTEXT(fields.list("subject", 1000), envelope.place);
  PYBOX_TRY_CONTEXT(fields.object("predicate"), envelope.place);
  PYBOX_TRY_CONTEXT(fields.finish(), envelope.place);
  if (type != "https://in-toto.io/Statement/v1") {
    return wrong(envelope.place + " is not an in-toto statement of version 1");
  }
  if (predicate != predicate_type) {
    return wrong(envelope.place + " has the predicate type " + visible(predicate) + ", not " +
                 std::string(predicate_type));
  }
  return Statement{std::move(root["subject"]), std::move(root["predicate"])};
}

/// The SHA-256 of the resource called `name` in a list; empty when it is not there once.
std::string digest_in(const json& list, std::string_view name) {
  std::string digest;
  if (!list.is_array()) return digest;
  for (const json& item : list) {
    if (!item.is_object() || item.value("name", json()) != name) continue;
    const json& digests = item.value("digest", json::object());
    const json sha256 = digests.is_object() ? digests.value("sha256", json()) : json();
    if (!digest.empty() || !sha256.is_string()) return "";
    digest = sha256.get<std::string>();
  }
  return digest;
}

std::string text_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Result<Envelope> open_envelope(std::string_view line, const std::string& place,
                               const PublicKey& key) {
  const json root = PYBOX_TRY_CONTEXT(parse_json(line), place);
  JsonFields fields = PYBOX_TRY_CONTEXT(JsonFields::of(root, ""), place);
  auto envelope = open_fields(fields, line, place, key);
  if (!envelope && envelope.error().kind() == ErrorKind::Protocol) {
    return std::move(envelope).error().context(place);
  }
  return envelope;
}

Result<void> expect_type(const Envelope& envelope, std::string_view type) {
  if (envelope.type == type) return {};
  return wrong(envelope.place + " has the payload type " + visible(envelope.type) + ", not " +
               std::string(type) + ": it was signed as something else");
}

Result<Statements> read_statements(const std::vector<Envelope>& envelopes, FolderOf whose) {
  const bool is_bench = whose == FolderOf::Bench;
  const Envelope& ours = envelopes.back();
  const Statement own = PYBOX_TRY(open_statement(
      ours, is_bench ? "urn:pybox:speed-evidence:v1" : "urn:pybox:containment-evidence:v1"));
  Statements statements{.manifest_sha256 = digest_in(own.subject, "manifest.sha256"),
                        .about = text_in(own.predicate, is_bench ? "bench" : "campaign"),
                        .verdict = text_in(own.predicate, "verdict"),
                        .plan_sha256 = text_in(own.predicate, "planSha256"),
                        .events_sha256 = text_in(own.predicate, "eventsSha256")};
  if (statements.manifest_sha256.size() != 64)
    return wrong(ours.place + " does not name manifest.sha256 with its digest");
  if (is_bench) return statements;
  const Statement generic = PYBOX_TRY(
      open_statement(envelopes.front(), "https://in-toto.io/attestation/test-result/v0.1"));
  if (digest_in(generic.predicate.value("configuration", json()), "manifest.sha256") !=
      statements.manifest_sha256)
    return wrong("the two statements of evidence.intoto.jsonl name different manifests");
  return statements;
}

}  // namespace pybox::reports::verify
