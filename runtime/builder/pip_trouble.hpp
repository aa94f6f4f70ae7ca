#pragma once
/// Why pip or uv could not do what the builder asked: the error for the user, told from what they
/// printed, since they have one exit code for everything. The common reasons have a message of
/// their own; for any other the tool's last lines speak. All texts are untrusted.

#include <string_view>

#include "base/error.hpp"

namespace pybox::builder {

/// `said` is what pip printed, `log` what it wrote with --log, which names each file it passed
/// over. `python`: the version wanted.
Error pip_error(std::string_view said, std::string_view log, std::string_view python);
Error uv_error(std::string_view said, std::string_view python);

/// The builder's disk, or its VM's memory, is full.
Error out_of_space();

}  // namespace pybox::builder
