#include "base/digest.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox {

TEST_CASE("SHA-256 agrees with FIPS 180-4's example, in one piece and in two") {
  const std::string expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  CHECK(sha256_hex("abc") == expected);
  Sha256 digest;
  digest.update("a");
  digest.update("bc");
  CHECK(digest.hex() == expected);
}

TEST_CASE("base64 round-trips and refuses what RFC 4648 refuses") {
  std::string out;
  for (const std::string text : {"", "f", "fo", "foo", "foob"}) {
    REQUIRE(base64_decode(base64_encode(text), out));
    CHECK(out == text);
  }
  CHECK_FALSE(base64_decode("Zm9", out));
  CHECK_FALSE(base64_decode("Zm9v\n", out));
  CHECK_FALSE(base64_decode("Z=9v", out));
  CHECK_FALSE(base64_decode("====", out));
  CHECK_FALSE(base64_decode("Zh==", out));  // "f" is "Zg==": unused bits must be zero
  CHECK_FALSE(base64_decode("Zm9=", out));
}

TEST_CASE("two random strings differ") { CHECK(random_hex(16) != random_hex(16)); }

}  // namespace pybox
