#pragma once
/// What tells whose machine this is, so that it can be kept out of evidence.

#include <filesystem>

#include "campaign/run/redact.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::campaign {

/// Folders of this installation.
struct OwnFolders {
  std::filesystem::path home;      ///< PYBOX_HOME
  std::filesystem::path programs;  ///< where pybox, boxd and the others stand
  std::filesystem::path source;    ///< the source tree; empty where there is none
};

/// <host> (whole and up to the first dot), <user> (who runs, who called sudo), <home> of each,
/// <machine-id>, <boot-id>, <mac> and <address> of every network interface but loopback,
/// <pybox-home>, <programs>, <source>. Root's name and home are everybody's and stay. What cannot
/// be read is left out.
Secrets secrets_of_this_host(const OwnFolders& folders);

}  // namespace pybox::campaign
