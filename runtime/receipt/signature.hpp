#pragma once
/// Ed25519 signatures in the shape of DSSE (secure-systems-lab/dsse, protocol.md): what is signed
/// is PAE(payloadType, payload), so a signature for one kind of document never fits another. The
/// only home of libsodium (docs/adr/0010).

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace pybox {

/// 32 bytes each (RFC 8032).
using KeySeed = std::array<std::uint8_t, 32>;
using PublicKey = std::array<std::uint8_t, 32>;
using RawSignature = std::array<std::uint8_t, 64>;

/// A private key. Its seed is wiped when it goes out of scope.
class SigningKey {
 public:
  explicit SigningKey(const KeySeed& seed);
  ~SigningKey();
  SigningKey(SigningKey&& other) noexcept;
  SigningKey& operator=(SigningKey&& other) noexcept;
  SigningKey(const SigningKey&) = delete;
  SigningKey& operator=(const SigningKey&) = delete;

  static SigningKey generate();

  const KeySeed& seed() const { return seed_; }
  const PublicKey& public_key() const { return public_; }
  RawSignature sign(std::string_view message) const;

 private:
  KeySeed seed_{};
  PublicKey public_{};
};

bool signature_holds(const PublicKey& key, std::string_view message, const RawSignature& signature);

/// "DSSEv1 <len> <type> <len> <payload>": what is signed for a payload of a type.
std::string pre_authentication_encoding(std::string_view type, std::string_view payload);

/// "sha256:" and the hex digest of the 32 raw bytes.
std::string key_id(const PublicKey& key);

/// PEM as `openssl` writes and reads it (RFC 8410): PKCS #8 and SubjectPublicKeyInfo.
std::string to_pem(const SigningKey& key);
std::string to_pem(const PublicKey& key);
/// Exactly one such PEM block, nothing before it; kind Evidence otherwise.
Result<KeySeed> seed_from_pem(std::string_view pem);
Result<PublicKey> public_key_from_pem(std::string_view pem);

}  // namespace pybox
