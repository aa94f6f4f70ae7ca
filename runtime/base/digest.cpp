#include "base/digest.hpp"

// The low-level SHA-256 (docs/adr/0010): a process that only hashes starts without OpenSSL's
// providers and is linked without them.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <sys/random.h>

#include <cerrno>
#include <cstdlib>

namespace pybox {

struct Sha256::State {
  SHA256_CTX context{};
};

Sha256::Sha256() : state_(std::make_unique<State>()) { SHA256_Init(&state_->context); }
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) {
  SHA256_Update(&state_->context, bytes.data(), bytes.size());
}

std::string Sha256::hex() {
  std::string raw(SHA256_DIGEST_LENGTH, '\0');
  SHA256_Final(reinterpret_cast<unsigned char*>(raw.data()), &state_->context);
  return to_hex(raw);
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.hex();
}

std::string to_hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

void random_fill(std::span<std::uint8_t> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t n = getrandom(out.data() + done, out.size() - done, 0);
    if (n < 0 && errno != EINTR) std::abort();
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

std::string random_hex(std::size_t count) {
  std::string raw(count, '\0');
  random_fill({reinterpret_cast<std::uint8_t*>(raw.data()), raw.size()});
  return to_hex(raw);
}

std::string base64_encode(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3), '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  return text;
}

bool base64_decode(std::string_view text, std::string& out) {
  // EVP_DecodeBlock trims white space and accepts stray padding; a strict reader must not.
  if (text.size() % 4 != 0) return false;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  for (const char c : text.substr(0, text.size() - padding)) {
    const bool ok = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                    c == '+' || c == '/';
    if (!ok) return false;
  }
  out.assign(text.size() / 4 * 3, '\0');
  if (text.empty()) return true;
  const int n = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                reinterpret_cast<const unsigned char*>(text.data()),
                                static_cast<int>(text.size()));
  if (n < 0) return false;
  out.resize(static_cast<std::size_t>(n) - padding);
  // RFC 4648 section 3.5: the bits that padding leaves unused are zero, so that no two texts mean
  // the same bytes.
  const std::size_t tail = out.size() / 3 * 3;
  return padding == 0 || text.ends_with(base64_encode(std::string_view(out).substr(tail)));
}

}  // namespace pybox
