#pragma once
/// Credentials by raw system calls, as code between clone and exec needs them (no allocation).

#include <sys/types.h>

namespace pybox::box {

enum class Groups { Drop, Keep };

/// Takes gid and uid `id` (real, effective, saved) and, with Drop, no supplementary group.
bool become(uid_t id, Groups groups);
/// Empties the inheritable, permitted, effective and ambient sets.
bool drop_every_capability();
/// Empties the bounding set; needs CAP_SETPCAP, so before drop_every_capability.
bool empty_bounding_set();

}  // namespace pybox::box
