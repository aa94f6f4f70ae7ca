#pragma once
/// What a campaign ran on: facts for people who compare two campaigns. Nothing in it tells whose
/// machine it was (run/redact.hpp).

#include <filesystem>
#include <map>
#include <string>

#include "base/result.hpp"
#include "campaign/run/redact.hpp"

namespace pybox::campaign {

/// "kernel", "cpu.model", "memory", …: unknown facts are "unknown". Looks at the host, starts
/// `qemu` for its version.
std::map<std::string, std::string> environment_facts(const Redactor& redactor);

/// SHA-256 of the programs of this build: pybox, boxd, boxd-campaign, campaign-plant, campaign-vm,
/// campaign. Error when one that is there cannot be read.
Result<std::map<std::string, std::string>> tool_digests(const std::filesystem::path& programs);

/// The source tree that `programs` was built in; empty where there is none.
std::filesystem::path source_beside(const std::filesystem::path& programs);

}  // namespace pybox::campaign
