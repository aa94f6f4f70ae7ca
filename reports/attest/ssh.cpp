#include "reports/attest/ssh.hpp"

#include <cstdint>

#include "base/digest.hpp"
#include "reports/attest/names.hpp"

namespace pybox::reports {
namespace {

constexpr std::string_view kMagic = "SSHSIG";
constexpr std::string_view kKeyType = "ssh-ed25519";

void append_number(std::string& out, std::uint32_t number) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    out += static_cast<char>(static_cast<unsigned char>((number >> shift) & 0xFFU));
  }
}

/// RFC 4251 section 5: a string is its length and its bytes.
void append_string(std::string& out, std::string_view text) {
  append_number(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

template <class Bytes>
std::string_view view(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string key_blob(const PublicKey& key) {
  std::string blob;
  append_string(blob, kKeyType);
  append_string(blob, view(key));
  return blob;
}

std::string from_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    bytes += static_cast<char>(digit(hex[at]) * 16 + digit(hex[at + 1]));
  }
  return bytes;
}

}  // namespace

std::string ssh_signature(std::string_view message, const SigningKey& key) {
  // Name space, an empty reserved string and the hash stand in what is signed and in the signature.
  std::string middle;
  append_string(middle, kSshNamespace);
  append_string(middle, "");
  append_string(middle, "sha256");
  std::string signed_text = std::string(kMagic) + middle;
  append_string(signed_text, from_hex(sha256_hex(message)));

  std::string signature;
  append_string(signature, kKeyType);
  append_string(signature, view(key.sign(signed_text)));
  std::string blob(kMagic);
  append_number(blob, 1);
  append_string(blob, key_blob(key.public_key()));
  blob += middle;
  append_string(blob, signature);

  const std::string text = base64_encode(blob);
  std::string armoured = "-----BEGIN SSH SIGNATURE-----\n";
  for (std::size_t at = 0; at < text.size(); at += 70) armoured += text.substr(at, 70) + "\n";
  return armoured + "-----END SSH SIGNATURE-----\n";
}

std::string allowed_signer(const PublicKey& key) {
  return std::string(kSshIdentity) + " namespaces=\"" + std::string(kSshNamespace) + "\" " +
         std::string(kKeyType) + " " + base64_encode(key_blob(key)) + "\n";
}

}  // namespace pybox::reports
