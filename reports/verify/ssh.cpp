#include <algorithm>

#include "base/digest.hpp"
#include "reports/verify/parts.hpp"

namespace pybox::reports::verify {
namespace {

/// A cursor over the bytes of an SSH signature (openssh PROTOCOL.sshsig).
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes) {}

  bool take(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  /// A string with its length in front; false when it is cut.
  bool string(std::string_view& out) {
    if (rest_.size() < 4) return false;
    std::size_t size = 0;
    for (int i = 0; i < 4; ++i)
      size = size * 256 + static_cast<unsigned char>(rest_[static_cast<std::size_t>(i)]);
    if (rest_.size() - 4 < size) return false;
    out = rest_.substr(4, size);
    rest_.remove_prefix(4 + size);
    return true;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::string with_length(std::string_view text) {
  std::string out(4, '\0');
  out[2] = static_cast<char>(static_cast<unsigned char>(text.size() >> 8U));
  out[3] = static_cast<char>(static_cast<unsigned char>(text.size() & 0xFFU));
  return out.append(text);
}

std::string raw_sha256(std::string_view message) {
  const std::string hex = sha256_hex(message);
  std::string raw;
  for (std::size_t at = 0; at < hex.size(); at += 2) {
    raw += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
  }
  return raw;
}

/// The base64 between the two marks, without its line ends; empty when it is something else, or
/// broken into other lines than ssh-keygen's of 70.
std::string body_of(std::string_view armoured) {
  constexpr std::string_view kBegin = "-----BEGIN SSH SIGNATURE-----\n";
  constexpr std::string_view kEnd = "-----END SSH SIGNATURE-----\n";
  if (armoured.size() > 4096 || !armoured.starts_with(kBegin) || !armoured.ends_with(kEnd))
    return "";
  std::string body(armoured.substr(kBegin.size(), armoured.size() - kBegin.size() - kEnd.size()));
  body.erase(std::remove(body.begin(), body.end(), '\n'), body.end());
  std::string again(kBegin);
  for (std::size_t at = 0; at < body.size(); at += 70) again += body.substr(at, 70) + "\n";
  return again.append(kEnd) == armoured ? body : "";
}

}  // namespace

Result<void> check_ssh_signature(std::string_view armoured, std::string_view message,
                                 const PublicKey& key) {
  const Error unfit =
      wrong("manifest.sha256.sshsig is not an SSH signature of the kind written here");
  std::string bytes;
  const std::string body = body_of(armoured);
  if (body.empty() || !base64_decode(body, bytes)) return unfit;
  Cursor cursor(bytes);
  std::string_view public_key, name_space, reserved, hash, signature;
  if (!cursor.take(std::string_view("SSHSIG\0\0\0\1", 10)) || !cursor.string(public_key) ||
      !cursor.string(name_space) || !cursor.string(reserved) || !cursor.string(hash) ||
      !cursor.string(signature) || !cursor.at_end()) {
    return unfit;
  }
  const std::string ours = with_length("ssh-ed25519") +
                           with_length({reinterpret_cast<const char*>(key.data()), key.size()});
  if (public_key != ours) return wrong("manifest.sha256.sshsig is signed by another key");
  if (name_space != "pybox-evidence" || !reserved.empty() || hash != "sha256") return unfit;
  Cursor inner(signature);
  std::string_view type, raw;
  RawSignature value{};
  if (!inner.string(type) || type != "ssh-ed25519" || !inner.string(raw) ||
      raw.size() != value.size() || !inner.at_end()) {
    return unfit;
  }
  std::copy(raw.begin(), raw.end(), value.begin());
  const std::string signed_text = "SSHSIG" + with_length("pybox-evidence") + with_length("") +
                                  with_length("sha256") + with_length(raw_sha256(message));
  if (signature_holds(key, signed_text, value)) return {};
  return wrong("manifest.sha256.sshsig: the signature does not hold for manifest.sha256");
}

}  // namespace pybox::reports::verify
