#pragma once
/// DSSE envelopes (secure-systems-lab/dsse) with one Ed25519 signature.

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "receipt/signature.hpp"

namespace pybox::reports {

/// {"payload": base64, "payloadType", "signatures": [{"keyid", "sig"}]}, without a newline.
Result<std::string> dsse_envelope(std::string_view payload_type, std::string_view payload,
                                  const SigningKey& key);

}  // namespace pybox::reports
