#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "receipt/canonical_json.hpp"
#include "reports/attest/envelope.hpp"

namespace pybox::reports {

Result<std::string> dsse_envelope(std::string_view payload_type, std::string_view payload,
                                  const SigningKey& key) {
  const RawSignature signature = key.sign(pre_authentication_encoding(payload_type, payload));
  const std::string_view raw(reinterpret_cast<const char*>(signature.data()), signature.size());
  const nlohmann::json envelope = {
      {"payload", base64_encode(payload)},
      {"payloadType", payload_type},
      {"signatures", {{{"keyid", key_id(key.public_key())}, {"sig", base64_encode(raw)}}}}};
  return canonical_json(envelope);
}

}  // namespace pybox::reports
