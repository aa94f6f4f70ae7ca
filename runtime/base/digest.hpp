#pragma once
/// SHA-256 and randomness. The only home of OpenSSL.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace pybox {

/// Incremental SHA-256. Move-only; feed with update(), end once with hex().
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::string_view bytes);
  /// Lower-case hex, 64 characters. Ends the computation.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Lower-case hex digest of `bytes`.
std::string sha256_hex(std::string_view bytes);

/// `count` bytes from getrandom(2), as lower-case hex (2 * count characters).
std::string random_hex(std::size_t count);
/// Fills the span from getrandom(2). Aborts if the kernel has no randomness, which Linux never says
/// after boot.
void random_fill(std::span<std::uint8_t> out);

std::string to_hex(std::string_view bytes);
std::string base64_encode(std::string_view bytes);
/// Strict RFC 4648 with padding; false on any other character.
bool base64_decode(std::string_view text, std::string& out);

}  // namespace pybox
