#include "receipt/signature.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "base/digest.hpp"

namespace pybox {
namespace {

/// The digits two by two.
template <std::size_t N>
std::array<std::uint8_t, N> from_hex(std::string_view digits) {
  std::array<std::uint8_t, N> bytes{};
  for (std::size_t i = 0; i < N; ++i) {
    bytes[i] =
        static_cast<std::uint8_t>(std::stoi(std::string(digits.substr(2 * i, 2)), nullptr, 16));
  }
  return bytes;
}

template <std::size_t N>
std::string hex(const std::array<std::uint8_t, N>& bytes) {
  return to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// RFC 8032 section 7.1, TEST 2.
const SigningKey kKey(
    from_hex<32>("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"));

}  // namespace

TEST_CASE("keys and signatures are those of RFC 8032's example") {
  CHECK(hex(kKey.public_key()) ==
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
  CHECK(hex(kKey.sign("\x72")) ==
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
}

TEST_CASE("a signature holds for its message and key alone") {
  const RawSignature signature = kKey.sign("receipt");
  CHECK(signature_holds(kKey.public_key(), "receipt", signature));
  CHECK_FALSE(signature_holds(kKey.public_key(), "Receipt", signature));
  CHECK_FALSE(signature_holds(kKey.public_key(), "", signature));
  CHECK_FALSE(signature_holds(SigningKey::generate().public_key(), "receipt", signature));
  for (std::size_t bit = 0; bit < 512; bit += 13) {
    RawSignature flipped = signature;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    CHECK_FALSE(signature_holds(kKey.public_key(), "receipt", flipped));
  }
}

TEST_CASE("what is signed names its type and its length") {
  // The example of DSSE's protocol.md.
  CHECK(pre_authentication_encoding("http://example.com/HelloWorld", "hello world") ==
        "DSSEv1 29 http://example.com/HelloWorld 11 hello world");
  CHECK(pre_authentication_encoding("", "") == "DSSEv1 0  0 ");
}

TEST_CASE("keys are PEM as openssl writes it") {
  // `openssl pkey` on the RFC's key gives these bytes.
  CHECK(to_pem(kKey) ==
        "-----BEGIN PRIVATE KEY-----\n"
        "MC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7\n"
        "-----END PRIVATE KEY-----\n");
  CHECK(to_pem(kKey.public_key()) ==
        "-----BEGIN PUBLIC KEY-----\n"
        "MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n"
        "-----END PUBLIC KEY-----\n");
  CHECK(seed_from_pem(to_pem(kKey)).value() == kKey.seed());
  CHECK(public_key_from_pem(to_pem(kKey.public_key())).value() == kKey.public_key());
}

TEST_CASE("what is not an Ed25519 key in PEM form is refused") {
  const std::string pem = to_pem(kKey.public_key());
  CHECK(public_key_from_pem(pem + "\n"));
  for (const std::string& wrong :
       {std::string(), std::string("x"), pem + "x", "x" + pem, pem + pem, to_pem(kKey),
        std::string("-----BEGIN PUBLIC KEY-----\n\n-----END PUBLIC KEY-----\n"),
        std::string("-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n")}) {
    const auto key = public_key_from_pem(wrong);
    REQUIRE_FALSE(key);
    CHECK(key.error().message() == "not an Ed25519 key in PEM form (`PUBLIC KEY`)");
  }
  // Another algorithm's identifier (X25519, one bit away).
  std::string other = pem;
  other.replace(other.find("VwAy"), 4, "VuAy");
  CHECK_FALSE(public_key_from_pem(other));
  CHECK_FALSE(seed_from_pem(pem));
}

TEST_CASE("a key's id is the digest of its raw bytes") {
  CHECK(key_id(PublicKey{}) == "sha256:" + sha256_hex(std::string(32, '\0')));
}

}  // namespace pybox
