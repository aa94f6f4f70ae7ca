#pragma once
/// This installation's signing key: $PYBOX_HOME/keys/receipt.key (PKCS #8) and receipt.pub, PEM,
/// mode 0600. Made by setup, or by the first run that needs it; several at once end up with one
/// key.

#include <filesystem>

#include "base/result.hpp"
#include "receipt/signature.hpp"
#include "sys/state_dirs.hpp"

namespace pybox {

std::filesystem::path private_key_file(const sys::StateDirs& dirs);
std::filesystem::path public_key_file(const sys::StateDirs& dirs);

/// Loads the key, or makes it when there is none. Errors of kind HostCannot: another user can read
/// the key file or owns it, it is no key, the folder cannot be written.
Result<SigningKey> load_or_make_key(const sys::StateDirs& dirs);

/// Reads a public key in PEM form. Errors: Io when it cannot be read, Evidence when it is no key.
Result<PublicKey> load_public_key(const std::filesystem::path& file);

}  // namespace pybox
