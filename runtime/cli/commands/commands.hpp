#pragma once
/// The commands, each defined in its own file cli/commands/NAME.cpp.

#include "cli/words/command.hpp"

namespace pybox::cli {

extern const Command kSetup;
extern const Command kExec;
extern const Command kMcp;
extern const Command kVmStart;
extern const Command kVmStop;
extern const Command kVmStatus;
extern const Command kVmLogs;
extern const Command kReceipts;
extern const Command kVerify;
extern const Command kDoctor;
extern const Command kVersion;
extern const Command kImageBuild;
extern const Command kImageList;
extern const Command kImageLock;
extern const Command kImageRm;
extern const Command kImagePrune;

}  // namespace pybox::cli
