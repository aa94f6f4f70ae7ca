#include "receipt/signature.hpp"

#include <sodium/core.h>
#include <sodium/crypto_sign_ed25519.h>
#include <sodium/utils.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>

#include "base/digest.hpp"

namespace pybox {
namespace {

/// libsodium's private key: the seed, then the public half (crypto_sign_ed25519.h).
using ExpandedKey = std::array<unsigned char, crypto_sign_ed25519_SECRETKEYBYTES>;

// RFC 8410: an Ed25519 key is a fixed DER head and the 32 raw bytes, so no ASN.1 reader is needed.
constexpr std::string_view kPrivateHead(
    "\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20", 16);
constexpr std::string_view kPublicHead("\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00", 12);

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

/// libsodium fails here only without randomness or memory; PyBox ends then (docs/style.md,
/// "Errors").
void require(bool ok) {
  if (!ok) std::abort();
}

std::string written_pem(std::string_view label, std::string_view head,
                        std::span<const std::uint8_t> key) {
  std::string der(head);
  der.append(key.begin(), key.end());
  const std::string name(label);
  return "-----BEGIN " + name + "-----\n" + base64_encode(der) + "\n-----END " + name + "-----\n";
}

Result<std::array<std::uint8_t, 32>> from_pem(std::string_view label, std::string_view head,
                                              std::string_view pem) {
  const std::string name(label);
  const std::string begin = "-----BEGIN " + name + "-----\n";
  const std::string end = "\n-----END " + name + "-----";
  const Error no_key(ErrorKind::Evidence, "not an Ed25519 key in PEM form (`" + name + "`)");
  while (pem.ends_with('\n')) pem.remove_suffix(1);
  if (pem.size() < begin.size() + end.size() || !pem.starts_with(begin) || !pem.ends_with(end)) {
    return no_key;
  }
  pem.remove_prefix(begin.size());
  pem.remove_suffix(end.size());
  std::string der;
  if (!base64_decode(pem, der) || der.size() != head.size() + 32 || !der.starts_with(head)) {
    return no_key;
  }
  std::array<std::uint8_t, 32> key{};
  std::copy(der.end() - 32, der.end(), key.begin());
  return key;
}

}  // namespace

SigningKey::SigningKey(const KeySeed& seed) : seed_(seed) {
  require(sodium_init() >= 0);
  ExpandedKey expanded{};
  require(crypto_sign_ed25519_seed_keypair(public_.data(), expanded.data(), seed.data()) == 0);
  sodium_memzero(expanded.data(), expanded.size());
}

SigningKey::~SigningKey() { sodium_memzero(seed_.data(), seed_.size()); }

SigningKey::SigningKey(SigningKey&& other) noexcept { *this = std::move(other); }

SigningKey& SigningKey::operator=(SigningKey&& other) noexcept {
  if (this == &other) return *this;
  seed_ = other.seed_;
  public_ = other.public_;
  sodium_memzero(other.seed_.data(), other.seed_.size());
  return *this;
}

SigningKey SigningKey::generate() {
  KeySeed seed{};
  random_fill(seed);
  return SigningKey(seed);
}

RawSignature SigningKey::sign(std::string_view message) const {
  ExpandedKey expanded{};
  std::copy(seed_.begin(), seed_.end(), expanded.begin());
  std::copy(public_.begin(), public_.end(), expanded.begin() + seed_.size());
  RawSignature signature{};
  require(crypto_sign_ed25519_detached(signature.data(), nullptr, raw(message), message.size(),
                                       expanded.data()) == 0);
  sodium_memzero(expanded.data(), expanded.size());
  return signature;
}

bool signature_holds(const PublicKey& key, std::string_view message,
                     const RawSignature& signature) {
  return crypto_sign_ed25519_verify_detached(signature.data(), raw(message), message.size(),
                                             key.data()) == 0;
}

std::string pre_authentication_encoding(std::string_view type, std::string_view payload) {
  std::string text = "DSSEv1 " + std::to_string(type.size()) + " ";
  text.append(type).append(" ").append(std::to_string(payload.size())).append(" ").append(payload);
  return text;
}

std::string key_id(const PublicKey& key) {
  return "sha256:" + sha256_hex({reinterpret_cast<const char*>(key.data()), key.size()});
}

std::string to_pem(const SigningKey& key) {
  return written_pem("PRIVATE KEY", kPrivateHead, key.seed());
}

std::string to_pem(const PublicKey& key) { return written_pem("PUBLIC KEY", kPublicHead, key); }

Result<KeySeed> seed_from_pem(std::string_view pem) {
  return from_pem("PRIVATE KEY", kPrivateHead, pem);
}

Result<PublicKey> public_key_from_pem(std::string_view pem) {
  return from_pem("PUBLIC KEY", kPublicHead, pem);
}

}  // namespace pybox
