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

/// The rest is for control arms only, which show what a program could do with capabilities.
/// They survive the next change of ids.
bool keep_over_change_of_ids();
/// All that are permitted may be passed on by execve; before empty_bounding_set.
bool make_inheritable();
/// All of them are passed on; after the change of ids. Later changes of ids act as usual again.
bool make_ambient();

}  // namespace pybox::box
