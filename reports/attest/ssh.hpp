#pragma once
/// Signatures that `ssh-keygen -Y verify` checks (openssh PROTOCOL.sshsig), made with the same
/// Ed25519 key, so that a reader needs no tool of ours.

#include <string>
#include <string_view>

#include "receipt/signature.hpp"

namespace pybox::reports {

/// The armoured signature of a file in our name space.
std::string ssh_signature(std::string_view message, const SigningKey& key);
/// The line for an allowed_signers file.
std::string allowed_signer(const PublicKey& key);

}  // namespace pybox::reports
