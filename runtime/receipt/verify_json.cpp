#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "receipt/canonical_json.hpp"
#include "receipt/verify.hpp"

namespace pybox {

using nlohmann::json;

namespace {

Error broken(std::string what) { return {ErrorKind::Evidence, std::move(what)}; }

Result<RawSignature> read_signature(const std::string& base64) {
  std::string bytes;
  RawSignature signature{};
  if (!base64_decode(base64, bytes) || bytes.size() != signature.size()) {
    return broken("`signature.sig` is not 64 bytes in base64");
  }
  std::copy(bytes.begin(), bytes.end(), signature.begin());
  return signature;
}

/// Takes the signature out of the receipt and holds it against what is left.
Result<void> check_signature(json& receipt, const PublicKey& key) {
  const json signature = std::move(receipt["signature"]);
  receipt.erase("signature");
  if (signature.is_null()) return broken("the receipt is not signed");
  const std::string type = signature["payloadType"];
  if (type != kReceiptPayloadType) {
    return broken("`signature.payloadType` is `" + visible(type) + "`, not a receipt's");
  }
  const std::string id = signature["keyid"];
  if (id != key_id(key)) {
    return broken("signed by another key: " + visible(id) + ", not " + key_id(key))
        .hint("give the public key it was signed with: `pybox verify RECEIPT.json --key PUB`");
  }
  const RawSignature raw = PYBOX_TRY(read_signature(signature["sig"]));
  const std::string payload = PYBOX_TRY(canonical_json(receipt));
  if (!signature_holds(key, pre_authentication_encoding(type, payload), raw)) {
    return broken("the signature does not match: the receipt was changed after it was signed");
  }
  return {};
}

}  // namespace

Result<Verified> verify_receipt(std::string_view text, const PublicKey& key) {
  // The shape first: from here on every key is known to be there, once, and of its type.
  Receipt receipt = PYBOX_TRY(receipt_from_json(text));
  json parsed = PYBOX_TRY(parse_json(text));
  PYBOX_TRY(check_signature(parsed, key));
  return Verified{std::move(receipt), key_id(key)};
}

}  // namespace pybox
