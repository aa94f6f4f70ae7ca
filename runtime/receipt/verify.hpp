#pragma once
/// Does a receipt hold? Its shape, key by key, and its signature over everything else in it.

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "receipt/receipt.hpp"

namespace pybox {

/// DSSE payload type of a receipt: what is signed are the RFC 8785 bytes of the receipt without its
/// key `signature`.
constexpr std::string_view kReceiptPayloadType = "application/vnd.pybox.receipt+json";

struct Verified {
  Receipt receipt;
  std::string key_id;
};

/// Error of kind Evidence that says what does not hold: not JSON, a key twice, missing or unknown,
/// a value out of range, fields that contradict each other, no signature, another payload type,
/// another key, changed content.
Result<Verified> verify_receipt(std::string_view json, const PublicKey& key);

}  // namespace pybox
